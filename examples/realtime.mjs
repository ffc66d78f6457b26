// Holds a short conversation over a WebSocket: asks in text, is answered with a voice, and asks again.
// Needs OPENAI_BASE_URL and OPENAI_API_KEY, and no package: the WebSocket of Node.js 22 or of a browser will do. Node.js 20
// has none of its own and takes that of the package ws.
const base = process.env.OPENAI_BASE_URL.replace(/^http/, 'ws')
const Socket = globalThis.WebSocket ?? (await import('ws')).WebSocket
const socket = new Socket(`${base}/realtime?model=gpt-4o-realtime-preview`, [
  'realtime',
  `openai-insecure-api-key.${process.env.OPENAI_API_KEY}`,
  'openai-beta.realtime-v1',
])
const questions = ['What is the capital of France?', 'Say goodbye.']
const bytesPerSecond = 48_000 // pcm16: 24,000 samples of 16 bits

const send = (event) => socket.send(JSON.stringify(event))

function ask(text) {
  console.log(`You: ${text}`)
  const content = [{ type: 'input_text', text }]
  send({ type: 'conversation.item.create', item: { type: 'message', role: 'user', content } })
  send({ type: 'response.create', response: { max_output_tokens: 60 } })
}

let bytes = 0
const handlers = {
  'session.created': () => ask(questions.shift()),
  'response.audio.delta': ({ delta }) => {
    bytes += Buffer.from(delta, 'base64').length // a player would play it
  },
  'response.audio_transcript.done': ({ transcript }) => console.log(`Voice: ${transcript.trim()}`),
  'response.done': ({ response }) => {
    console.log(`(${response.status}, ${(bytes / bytesPerSecond).toFixed(1)} seconds of speech)`)
    bytes = 0
    const next = questions.shift()
    if (next === undefined) socket.close()
    else ask(next)
  },
  error: ({ error }) => {
    console.error(error.message)
    process.exitCode = 1
    socket.close()
  },
}

socket.addEventListener('message', ({ data }) => {
  const event = JSON.parse(data)
  handlers[event.type]?.(event)
})
socket.addEventListener('error', () => {
  console.error(`There is no realtime session to be had at ${base}`)
  process.exitCode = 1
})
