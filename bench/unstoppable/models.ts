// One project's heaviest request to a built-in model, beside another project's lightest: a chat of one token, an
// embedding of one word, a moderation of one.
import type { AtollServer } from '../atoll-server.ts'
import type { Attack, AttackGroup, Probe } from './attack.ts'
import { bearer, bodyOf, send } from './requests.ts'

const sliceMs = 100
const everyMs = 20

type Body = (round: number) => object

let asked = 0

const probe = (name: string, path: string, body: (nth: number) => object): Probe => ({
  name,
  everyMs,
  async ask({ url, apiKey }) {
    const response = await fetch(url + path, {
      method: 'POST',
      headers: { ...bearer(apiKey), 'content-type': 'application/json' },
      body: JSON.stringify(body(++asked)),
    })
    if (response.status !== 200) throw new Error(`${path} answered ${response.status}: ${await response.text()}`)
    await response.arrayBuffer()
  },
})

const chatOf = (content: string, more: object = {}): object => ({
  model: 'gpt-4o-mini',
  messages: [{ role: 'user', content }],
  max_tokens: 1,
  ...more,
})
const chatPath = '/v1/chat/completions'
const oneToken = probe('a chat of one token', chatPath, (nth) => chatOf(`Say the number ${nth}.`))
const oneWord = probe('an embedding of one word', '/v1/embeddings', (nth) => ({
  model: 'text-embedding-3-small',
  input: `word${nth}`,
}))
const oneText = probe('a moderation of one word', '/v1/moderations', (nth) => ({ input: `word${nth}` }))

const words = (count: number, round: number): string =>
  Array.from({ length: count }, (_, at) => `word${(at * 31 + round) % 9973}`).join(' ')

/** Never seen before: another round has others. */
const tools = (count: number, round: number): object[] =>
  Array.from({ length: count }, (_, at) => ({
    type: 'function',
    function: {
      name: `look_up_${round}_${at}`,
      description: `Looks up ${round + at}.`,
      parameters: { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] },
    },
  }))

/** The sampler is held to their names. */
const forced = (round: number): object => ({ tools: tools(40, round), tool_choice: 'required', max_tokens: 60 })

const manyInputs = (round: number): object => ({
  model: 'text-embedding-3-large',
  input: Array.from({ length: 2_048 }, (_, at) => `word ${at * 31 + round} `.repeat(20)),
})

const beside = (name: string, path: string, body: Body, asking: Probe): Attack => {
  let key: Promise<string> | undefined
  return {
    name: `${name}, beside ${asking.name}`,
    probe: asking,
    async prepare(server) {
      key ??= otherProject(server)
      await key
    },
    async run(server, round) {
      const headers = { ...bearer((await key) ?? ''), 'content-type': 'application/json' }
      await send(server.url + path, { headers, body: bodyOf(JSON.stringify(body(round))) })
    },
  }
}

async function otherProject({ url, adminKey }: AtollServer): Promise<string> {
  const post = async (path: string): Promise<Record<string, unknown>> => {
    const headers = { ...bearer(adminKey), 'content-type': 'application/json' }
    const response = await fetch(url + path, { method: 'POST', headers, body: JSON.stringify({ name: 'attacker' }) })
    if (response.status !== 200) throw new Error(`${path} answered ${response.status}: ${await response.text()}`)
    return (await response.json()) as Record<string, unknown>
  }
  const { id } = await post('/v1/organization/projects')
  const { api_key: key } = await post(`/v1/organization/projects/${id}/service_accounts`)
  return (key as { value: string }).value
}

const withTools = (count: number): Attack =>
  beside(`${count} new tools`, chatPath, (round) => chatOf('Which?', { tools: tools(count, round) }), oneToken)

export const models: AttackGroup = {
  title: 'Models',
  flags: [],
  goalMs: (idleMs) => 3 * idleMs + sliceMs,
  attacks: [
    withTools(20),
    withTools(40),
    withTools(128),
    beside('a call of one of 40 tools', chatPath, (round) => chatOf('Which?', forced(round)), oneToken),
    beside('a prompt of 5 MB', chatPath, () => chatOf('many words '.repeat(450_000)), oneToken),
    beside('6 answers', chatPath, (round) => chatOf(words(300, round), { n: 6, max_tokens: 60 }), oneToken),
    beside(
      'an input of 8,000 words',
      '/v1/embeddings',
      () => ({ model: 'text-embedding-3-small', input: 'a word '.repeat(4_000) }),
      oneWord,
    ),
    beside(
      'an input of 1 MB',
      '/v1/embeddings',
      () => ({ model: 'text-embedding-3-small', input: '\u6c34\u706b\u6728\u91d1 '.repeat(200_000) }),
      oneWord,
    ),
    beside('2,048 inputs', '/v1/embeddings', manyInputs, oneWord),
    beside('a text of 6,000 words', '/v1/moderations', (round) => ({ input: words(6_000, round) }), oneText),
  ],
}
