// Which of some sentences is nearest in meaning to a question? Needs OPENAI_BASE_URL and OPENAI_API_KEY.
import OpenAI from 'openai'

const client = new OpenAI()

const question = 'How can I get my money back?'
const sentences = [
  'Refunds are paid within two weeks after we received the goods.',
  'Our office is open from Monday to Friday.',
  'To change your password, open the settings of your account.',
  'The parcel arrives three days after the order.',
]
const { data, model, usage } = await client.embeddings.create({
  model: 'text-embedding-3-small',
  input: [question, ...sentences],
})

const [asked = [], ...candidates] = data.map(({ embedding }) => embedding)
// Embeddings have length 1: the cosine of their angle is the sum of the products.
const similarity = (other) => other.reduce((sum, value, at) => sum + value * (asked[at] ?? 0), 0)
const ranked = candidates.map((embedding, at) => ({ sentence: sentences[at], score: similarity(embedding) }))
ranked.sort((a, b) => b.score - a.score)

for (const { sentence, score } of ranked) console.log(score.toFixed(3), sentence)
console.log(`Nearest to "${question}": ${ranked[0]?.sentence} (${model}, ${usage.total_tokens} tokens)`)
