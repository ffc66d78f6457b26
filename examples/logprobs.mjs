// How sure the model is of every token, and what it might have said. Needs OPENAI_BASE_URL and OPENAI_API_KEY.
import OpenAI from 'openai'

const client = new OpenAI()

const completion = await client.chat.completions.create({
  model: 'gpt-4o-mini',
  messages: [{ role: 'user', content: 'The capital of France is' }],
  temperature: 0,
  max_completion_tokens: 8,
  logprobs: true,
  top_logprobs: 3,
})

const percent = (logprob) => `${(Math.exp(logprob) * 100).toFixed(1)}%`

for (const { token, logprob, top_logprobs } of completion.choices[0]?.logprobs?.content ?? []) {
  const others = top_logprobs.map((other) => `${JSON.stringify(other.token)} ${percent(other.logprob)}`)
  console.log(`${JSON.stringify(token)} ${percent(logprob)}; most likely: ${others.join(', ')}`)
}
