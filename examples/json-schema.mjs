// An answer that always follows a JSON schema. Needs OPENAI_BASE_URL and OPENAI_API_KEY.
import OpenAI from 'openai'

const client = new OpenAI()

const schema = {
  type: 'object',
  properties: {
    mood: { type: 'string', enum: ['glad', 'calm', 'angry'] },
    stars: { type: 'integer', enum: [1, 2, 3, 4, 5] },
    again: { type: 'boolean' },
  },
  required: ['mood', 'stars', 'again'],
  additionalProperties: false,
}

const completion = await client.chat.completions.create({
  model: 'gpt-4o-mini',
  messages: [{ role: 'user', content: 'What a lovely dinner! We will be back. Judge this review.' }],
  response_format: { type: 'json_schema', json_schema: { name: 'review', strict: true, schema } },
  max_completion_tokens: 300,
})

const review = JSON.parse(completion.choices[0]?.message.content ?? '')
console.log(`Mood: ${review.mood}. Stars: ${review.stars} of 5. Comes back: ${review.again ? 'yes' : 'no'}.`)
