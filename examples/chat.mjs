// A conversation with a model. Needs OPENAI_BASE_URL and OPENAI_API_KEY, as Atoll prints them at its start.
import OpenAI from 'openai'

const client = new OpenAI()

const completion = await client.chat.completions.create({
  model: 'gpt-4o-mini',
  messages: [
    { role: 'system', content: 'You answer in one short sentence.' },
    { role: 'user', content: 'Why is the sea salty?' },
  ],
  temperature: 0.2,
  max_completion_tokens: 60,
})

const [choice] = completion.choices
console.log(`${completion.model} says: ${choice?.message.content}`)
console.log(`It ended by '${choice?.finish_reason}' and took ${completion.usage?.total_tokens} tokens.`)
