// An assistant with all three kinds of tools: it answers from a file and cites it, calls a function of this program, and
// runs Python. Written for openai 4.77.0: npm install, then node assistants.mjs. Needs OPENAI_BASE_URL and OPENAI_API_KEY.
import OpenAI, { toFile } from 'openai'

const client = new OpenAI()
const { assistants, threads, vectorStores } = client.beta

const text = `The workshop of the bicycle club is open on Tuesday from 5 pm to 8 pm. Members repair their bicycles for
free; guests pay 6 euros an evening. Tools are lent out against a deposit of 20 euros. The workshop is led by
Marta Keller, who has worked as a mechanic for eleven years.`
const celsius = { Paris: 18, Oslo: 7, Cairo: 31 }

const store = await vectorStores.create({ name: 'Bicycle club' })
const file = await toFile(Buffer.from(text), 'club.txt')
const batch = await vectorStores.fileBatches.uploadAndPoll(store.id, { files: [file] })
console.log(`Files ready for search: ${batch.file_counts.completed} of ${batch.file_counts.total}`)

const assistant = await assistants.create({
  name: 'Club assistant',
  instructions: 'Answer from the files.',
  model: 'gpt-4o-mini',
  temperature: 0,
  tools: [
    { type: 'file_search' },
    { type: 'code_interpreter' },
    {
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
    },
  ],
  tool_resources: { file_search: { vector_store_ids: [store.id] } },
})

// File search: the answer comes piece by piece, with marks where it comes from a file.
const thread = await threads.create({ messages: [{ role: 'user', content: 'How much do guests pay?' }] })
const answer = threads.runs.stream(thread.id, { assistant_id: assistant.id })
process.stdout.write('\nHow much do guests pay? ')
answer.on('textDelta', ({ value = '' }) => process.stdout.write(value))
for (const { content } of await answer.finalMessages()) {
  const [part] = content
  for (const annotation of part?.type === 'text' ? part.text.annotations : []) {
    if (annotation.type !== 'file_citation') continue
    const cited = await client.files.retrieve(annotation.file_citation.file_id)
    console.log(`\n  ${annotation.text} is ${cited.filename}`)
  }
}

// A function of this program: the run waits for its output.
let run = await threads.createAndRunPoll({
  assistant_id: assistant.id,
  thread: { messages: [{ role: 'user', content: 'How warm is it in Oslo?' }] },
  tool_choice: { type: 'function', function: { name: 'temperature' } },
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
// write it.
const calculated = await threads.createAndRunPoll({
  assistant_id: assistant.id,
  thread: { messages: [{ role: 'user', content: 'Run the Python code "sum(range(101))".' }] },
  tool_choice: { type: 'code_interpreter' },
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
await vectorStores.del(store.id)
