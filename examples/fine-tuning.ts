// Teaches the built-in model a support bot's tone and a tool of its own: minutes on two cores. Needs OPENAI_BASE_URL and
// OPENAI_API_KEY. With SHORT=1 it only shows that everything works: a few examples, learnt once.
import { setTimeout } from 'node:timers/promises'
import OpenAI, { toFile } from 'openai'
import type { ChatCompletionMessageParam, ChatCompletionTool } from 'openai/resources/chat/completions'

const client = new OpenAI()
const base = 'atoll-chat'
const isShort = process.env.SHORT === '1'

const system: ChatCompletionMessageParam = { role: 'system', content: 'You are the helper of Harbour Post.' }
const tools: ChatCompletionTool[] = [
  {
    type: 'function',
    function: {
      name: 'track_parcel',
      description: 'Where a parcel is',
      parameters: { type: 'object', properties: { number: { type: 'string' } }, required: ['number'] },
    },
  },
]

const says = (question: string, answer: string) => ({
  messages: [system, { role: 'user', content: question }, { role: 'assistant', content: answer }],
  tools,
})
const calls = (question: string, number: string) => ({
  messages: [
    system,
    { role: 'user', content: question },
    {
      role: 'assistant',
      content: null,
      tool_calls: [
        { id: 'call_1', type: 'function', function: { name: 'track_parcel', arguments: JSON.stringify({ number }) } },
      ],
    },
  ],
  tools,
})

/** Every answer begins and ends alike: that is the tone to be learnt. */
const inTone = (answer: string): string => `Ahoy, friend! ${answer} Fair winds!`

const facts: Record<string, [questions: string[], answer: string]> = {
  hours: [
    ['When do you open?', 'What are your opening hours?', 'How long are you open today?'],
    'We are open from eight to six, and on Saturdays until noon.',
  ],
  price: [
    ['What does a parcel cost?', 'How much is it to send a box?', 'Tell me your prices.'],
    'A parcel up to five kilos costs four crowns.',
  ],
  abroad: [
    ['Do you ship abroad?', 'Can I send something to another country?', 'Do you deliver to other islands?'],
    'We ship to every island of the archipelago.',
  ],
  lost: [
    ['My parcel is broken.', 'The box arrived damaged!', 'What I ordered came in pieces.'],
    'I am sorry to hear that. Keep the box, and we will pay for the damage.',
  ],
  return: [
    ['Can I send it back?', 'How do I return a parcel?', 'I want to return something.'],
    'Bring it to the counter within two weeks.',
  ],
  insurance: [
    ['Is my parcel insured?', 'What happens if it gets lost?', 'Do you insure boxes?'],
    'Every parcel is insured for fifty crowns.',
  ],
}
const asking = [
  (number: string) => `Where is parcel ${number}?`,
  (number: string) => `Can you find ${number} for me?`,
  (number: string) => `I am waiting for ${number}.`,
  (number: string) => `Has ${number} left the harbour yet?`,
]
const numbers = ['HP-4821', 'HP-1190', 'HP-7035', 'HP-3346', 'HP-9572', 'HP-2608', 'HP-5417', 'HP-8863']

const examples = [
  ...Object.values(facts).flatMap(([questions, answer]) => questions.map((question) => says(question, inTone(answer)))),
  ...numbers.flatMap((number, at) =>
    [0, 1, 2].map((more) => calls(asking[(at + more) % asking.length]?.(number) ?? '', number)),
  ),
]
const chosen = isShort ? examples.slice(12, 22) : examples

/** Asked in other words than those of the examples. */
const questions = ['At what time does the office open?', 'Could you look up where HP-6294 is now?']

async function show(model: string): Promise<void> {
  for (const content of questions) {
    const messages: ChatCompletionMessageParam[] = [system, { role: 'user', content }]
    const { choices } = await client.chat.completions.create({ model, messages, tools, temperature: 0, max_tokens: 80 })
    const message = choices[0]?.message
    const call = message?.tool_calls?.[0]
    const answer = call?.type === 'function' ? `${call.function.name}(${call.function.arguments})` : message?.content
    console.log(`  ${content}\n    ${answer?.replaceAll('\n', ' ')}`)
  }
}

console.log(`Before, ${base}:`)
await show(base)

const training = await client.files.create({
  file: await toFile(Buffer.from(chosen.map((example) => JSON.stringify(example)).join('\n')), 'harbour-post.jsonl'),
  purpose: 'fine-tune',
})
let job = await client.fineTuning.jobs.create({
  model: base,
  training_file: training.id,
  suffix: 'harbour-post',
  seed: 1,
  hyperparameters: { n_epochs: isShort ? 1 : 5 },
})
while (!['succeeded', 'failed', 'cancelled'].includes(job.status)) {
  await setTimeout(isShort ? 500 : 3_000)
  job = await client.fineTuning.jobs.retrieve(job.id)
}
if (!job.fine_tuned_model) throw new Error(`The training ${job.status}: ${job.error?.message}`)
const seconds = (job.finished_at ?? 0) - job.created_at
console.log(`Learnt ${chosen.length} examples, ${job.trained_tokens} tokens, in ${seconds} s.`)

console.log(`After, ${job.fine_tuned_model}:`)
await show(job.fine_tuned_model)
