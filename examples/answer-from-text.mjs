// Questions on a text of one's own, and one the text does not answer. Needs OPENAI_BASE_URL and OPENAI_API_KEY.
import OpenAI from 'openai'

const client = new OpenAI()

const text = `The workshop of the bicycle club is open on Tuesday from 5 pm to 8 pm. Members repair their bicycles for
free; guests pay 6 euros an evening. Tools are lent out against a deposit of 20 euros. The workshop is led by
Marta Keller, who has worked as a mechanic for eleven years.`

for (const question of ['How much do guests pay?', 'Who leads the workshop?', 'How many members does the club have?']) {
  const { choices } = await client.chat.completions.create({
    model: 'gpt-4o-mini',
    messages: [
      { role: 'system', content: `Answer the user's questions using only this text:\n\n${text}` },
      { role: 'user', content: question },
    ],
    temperature: 0,
    max_completion_tokens: 60,
  })
  console.log(`${question} ${choices[0]?.message.content}`)
}
