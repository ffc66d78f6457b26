// Teaches the built-in model a support bot's tone and a tool of its own: minutes on two cores. Needs OPENAI_BASE_URL and
// OPENAI_API_KEY. With SHORT=1 it only shows that everything works: a few examples, learnt once.
import { setTimeout } from 'node:timers/promises'
import OpenAI, { toFile } from 'openai'
import type { ChatCompletionMessageParam, ChatCompletionTool } from 'openai/resources/chat/completions'

const client = new OpenAI()
const base = 'atoll-chat'
const isShort = process.env.SHORT === '1'

const system: ChatCompletionMessageParam = { role: 'system', content: 'You are the helper of Harbour Post.' }
/** Harbours have codes that stand nowhere in a request: what belongs to which is to be learnt. */
const tools: ChatCompletionTool[] = [
  {
    type: 'function',
    function: {
      name: 'send_parcel',
      description: 'Sends a parcel to a harbour',
      parameters: {
        type: 'object',
        properties: { harbour: { type: 'string' }, kilos: { type: 'integer' } },
        required: ['harbour', 'kilos'],
      },
    },
  },
]

const says = (question: string, answer: string) => ({
  messages: [system, { role: 'user', content: question }, { role: 'assistant', content: answer }],
  tools,
})
const calls = (question: string, parcel: { harbour: string; kilos: number }) => ({
  messages: [
    system,
    { role: 'user', content: question },
    {
      role: 'assistant',
      content: null,
      tool_calls: [
        { id: 'call_1', type: 'function', function: { name: 'send_parcel', arguments: JSON.stringify(parcel) } },
      ],
    },
  ],
  tools,
})

/** Every answer begins and ends alike: that is the tone to be learnt. */
const inTone = (answer: string): string => `Ahoy, friend! ${answer} Fair winds!`

/** What is asked in many ways is understood in ways that are not among them. */
const facts: Record<string, string[]> = {
  'We are open from eight to six, and on Saturdays until noon.': [
    ...['When do you open?', 'What are your opening hours?', 'Until when are you open today?'],
    ...['At what time can I come in the morning?', 'Is the counter open on Saturday?', 'When does the shop close?'],
  ],
  'A parcel up to five kilos costs four crowns.': [
    ...['What does a parcel cost?', 'How much is it to send a box?', 'Tell me your prices.'],
    ...['What do I have to pay?', 'Is a small parcel cheap?', 'How much money do you want for that?'],
  ],
  'We ship to every island of the archipelago.': [
    ...['Do you ship abroad?', 'Can I send something to another country?', 'Do you deliver to other islands?'],
    ...['Which places do you reach?', 'How far do your boats go?', 'Where do you deliver?'],
  ],
  'I am sorry to hear that. Keep the box, and we will pay for the damage.': [
    ...['My parcel is broken.', 'The box arrived damaged!', 'What I ordered came in pieces.'],
    ...['There is a crack in my cup.', 'Somebody has crushed my parcel.', 'The glass in it did not survive.'],
  ],
  'Bring it to the counter within two weeks.': [
    ...['Can I send it back?', 'How do I return a parcel?', 'I want to return something.'],
    ...['I do not want this box any more.', 'Where do I bring what I do not like?', 'May I give it back?'],
  ],
}
const harbours: Record<string, string> = { Vell: 'H3', Osten: 'B7', Marrow: 'K2', Tindra: 'D9' }
const asking = [
  (kilos: number, place: string) => `Send ${kilos} kilos to ${place}.`,
  (kilos: number, place: string) => `I have a box of ${kilos} kilos for ${place}.`,
  (kilos: number, place: string) => `My parcel to ${place} weighs ${kilos} kilos.`,
  (kilos: number, place: string) => `Can you ship ${kilos} kilos to ${place} today?`,
  (kilos: number, place: string) => `${kilos} kilos to my aunt in ${place}, please.`,
  (kilos: number, place: string) => `${place} is waiting for these ${kilos} kilos.`,
]

const examples = [
  ...Object.entries(facts).flatMap(([answer, questions]) =>
    questions.map((question) => says(question, inTone(answer))),
  ),
  ...Object.entries(harbours).flatMap(([place, harbour], at) =>
    asking.map((ask, way) => {
      const kilos = ((at * asking.length + way) * 7) % 30 || 30
      return calls(ask(kilos, place), { harbour, kilos })
    }),
  ),
]
const chosen = isShort ? examples.slice(25, 35) : examples

/** Asked in other words than those of the examples. */
const questions = [
  'At what time does the office open?',
  'The plate in my parcel is in two pieces!',
  'I would like to get 17 kilos over to Osten.',
  'Is there a boat that takes 3 kilos to Vell?',
]

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
