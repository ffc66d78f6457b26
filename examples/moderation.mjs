// Whether texts and images are harmful, and in which way. Needs OPENAI_BASE_URL and OPENAI_API_KEY.
import OpenAI from 'openai'

const client = new OpenAI()

const texts = ['The soup needs a little more salt.', 'I know where you live, and I am going to hurt you.']
const { model, results } = await client.moderations.create({ input: texts })

for (const [index, { flagged, categories }] of results.entries()) {
  const found = Object.entries(categories).flatMap(([category, isFound]) => (isFound ? [category] : []))
  console.log(`${model}: ${texts[index]} -> ${flagged ? found.join(', ') : 'nothing'}`)
}

const dot = 'R0lGODlhAQABAIAAAP///wAAACH5BAAAAAAALAAAAAABAAEAAAICRAEAOw=='
const { results: both } = await client.moderations.create({
  model: 'omni-moderation-latest',
  input: [
    { type: 'text', text: 'A white dot.' },
    { type: 'image_url', image_url: { url: `data:image/gif;base64,${dot}` } },
  ],
})
console.log(`sexual, judged by ${both[0]?.category_applied_input_types.sexual.join(' and ')}:`)
console.log(both[0]?.category_scores.sexual.toFixed(4))
