// The first form of the assistants interface, as programs used it until April 2024: retrieval from a file, a function of
// this program, code interpreter, and streams. Written for openai 4.33.1: npm install, then node assistants.mjs.
// Needs OPENAI_BASE_URL and OPENAI_API_KEY.
import OpenAI, { toFile } from 'openai'

const client = new OpenAI()
const { assistants, threads } = client.beta

const text = `The workshop of the bicycle club is open on Tuesday from 5 pm to 8 pm. Repairs are free for members; guests pay
6 euros an evening. Tools are lent out against a deposit of 20 euros. The leader of the workshop is Marta Keller. She has
worked as a mechanic for eleven years.`
const celsius = { Paris: 18, Oslo: 7, Cairo: 31 }

const temperature = {
  type: 'function',
  function: {
    name: 'temperature',
    description: 'The temperature in a city, in degrees Celsius',
    parameters: {
      type: 'object',
      properties: { city: { type: 'string', enum: Object.keys(celsius) } },
      required: ['city'],
    },
  },
}

const file = await client.files.create({ file: await toFile(Buffer.from(text), 'club.txt'), purpose: 'assistants' })
const assistant = await assistants.create({
  name: 'Club assistant',
  instructions: 'Answer from the files.',
  model: 'gpt-4-turbo-preview',
  tools: [{ type: 'retrieval' }, { type: 'code_interpreter' }, temperature],
  file_ids: [file.id],
})

// Retrieval: the answer comes piece by piece; its marks tell what it quotes.
const thread = await threads.create()
await threads.messages.create(thread.id, { role: 'user', content: 'Who leads the workshop?' })
const answer = threads.runs.createAndStream(thread.id, { assistant_id: assistant.id, temperature: 0 })
process.stdout.write('Who leads the workshop? ')
answer.on('textDelta', ({ value = '' }) => process.stdout.write(value))
for (const { content } of await answer.finalMessages()) {
  const [part] = content
  for (const annotation of part?.type === 'text' ? part.text.annotations : []) {
    if (annotation.type !== 'file_citation') continue
    const cited = await client.files.retrieve(annotation.file_citation.file_id)
    const quote = annotation.file_citation.quote.replaceAll('\n', ' ')
    console.log(`\n  ${annotation.text} is ${cited.filename}: "${quote}"`)
  }
}

// A function of this program, the only tool of this run, which waits for its output.
let run = await threads.createAndRunPoll({
  assistant_id: assistant.id,
  thread: { messages: [{ role: 'user', content: 'How warm is it in Oslo?' }] },
  tools: [temperature],
  temperature: 0,
})
while (run.status === 'requires_action') {
  const calls = run.required_action?.submit_tool_outputs.tool_calls ?? []
  const tool_outputs = calls.map(({ id, function: called }) => {
    const { city } = JSON.parse(called.arguments)
    const output = { city, temperature: `${celsius[city]} degrees` }
    console.log(`\nThe assistant calls ${called.name}('${city}'): ${output.temperature}`)
    return { tool_call_id: id, output: JSON.stringify(output) }
  })
  run = await threads.runs.submitToolOutputsAndPoll(run.thread_id, run.id, { tool_outputs })
}
const [latest] = (await threads.messages.list(run.thread_id)).data
console.log(
  `How warm is it in Oslo? ${latest?.content[0]?.type === 'text' ? latest.content[0].text.value : run.status}`,
)

// Python: what the assistant ran and what came out stands in the steps. The built-in model copies code; larger ones
// write it. The types of openai 4.33.1 do not know `tool_choice` yet; the interface does.
const python = { tool_choice: { type: 'code_interpreter' } }
const calculated = await threads.createAndRunPoll({
  assistant_id: assistant.id,
  thread: { messages: [{ role: 'user', content: 'Run the Python code "sum(range(101))".' }] },
  temperature: 0,
  ...python,
})
for await (const { step_details: details } of threads.runs.steps.list(calculated.thread_id, calculated.id)) {
  for (const call of details.type === 'tool_calls' ? details.tool_calls : []) {
    if (call.type !== 'code_interpreter') continue
    const { input, outputs } = call.code_interpreter
    for (const output of outputs) if (output.type === 'logs') console.log(`\nPython: ${input} is ${output.logs.trim()}`)
  }
}

await assistants.del(assistant.id)
for (const id of [thread.id, run.thread_id, calculated.thread_id]) await threads.del(id)
await client.files.del(file.id)
