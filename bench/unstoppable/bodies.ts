// The worst bodies, with and without a key, beside another caller's GET /v1/models.
import type { AtollServer } from '../atoll-server.ts'
import type { Attack, AttackGroup } from './attack.ts'
import { bearer, bodyOf, listModels, send } from './requests.ts'

const megabyte = 1_000_000

type Headers = Record<string, string>
type Key = (server: AtollServer) => string | undefined

const nobody: Key = () => undefined
const stranger: Key = () => 'sk-unknown'
const project: Key = ({ apiKey }) => apiKey
const admin: Key = ({ adminKey }) => adminKey

const nested = (bytes: number) => () => '['.repeat(bytes)
const closed = (bytes: number) => () => '['.repeat(bytes / 2) + ']'.repeat(bytes / 2)
const repeated = (item: string, bytes: number): string =>
  Array(Math.floor(bytes / (item.length + 1)))
    .fill(item)
    .join()
const flat = (bytes: number) => () => `[${repeated('0', bytes)}]`
const names = (count: number): string => Array.from({ length: count }, (_, index) => `"k${index}":0`).join()

const chat = (messages: string) => `{"model":"gpt-4o-mini","messages":[${messages}]}`
const message = '{"role":"user","content":"a"}'
const embeddings = (input: string) => `{"model":"absent","input":[${input}]}`
const tokens = `[${repeated('1234', 8192 * 5)}]`

export const bodies: AttackGroup = {
  title: 'Bodies',
  flags: [],
  goalMs: (idleMs) => idleMs + 50,
  attacks: [
    json('no key: 4 MB of nested arrays', '/v1/invites/accept', nobody, closed(4 * megabyte)),
    json('no key: 31 MB of nested arrays', '/v1/invites/accept', nobody, closed(31 * megabyte)),
    json('no key: 31 MB of open brackets', '/v1/console/login', nobody, nested(31 * megabyte)),
    json('no key: 30 MB of flat values', '/v1/console/login', nobody, flat(30 * megabyte)),
    json('wrong key: 31 MB of nested arrays', '/v1/chat/completions', stranger, closed(31 * megabyte)),
    json('project: 31 MB of nested arrays', '/v1/chat/completions', project, closed(31 * megabyte)),
    json('project: a chat of 1,000,000 messages', '/v1/chat/completions', project, () =>
      chat(repeated(message, 30 * megabyte)),
    ),
    json('project: 30 MB of wrong messages', '/v1/chat/completions', project, () => chat(repeated('0', 30 * megabyte))),
    json('project: 30 MB of one word', '/v1/chat/completions', project, () =>
      chat(`{"role":"user","content":"${'a'.repeat(30 * megabyte)}"}`),
    ),
    json('project: 2,000,000 metadata keys', '/v1/threads', project, () => `{"metadata":{${names(2_000_000)}}}`),
    json('project: 2,000,000 unknown parameters', '/v1/assistants', project, () => `{${names(2_000_000)}}`),
    json('project: 6,000,000 tokens to embed', '/v1/embeddings', project, () =>
      embeddings(repeated(tokens, 30 * megabyte)),
    ),
    json('admin: 30 MB of flat values', '/v1/organization/projects', admin, flat(30 * megabyte)),
    form('project: a part header of 5 MB', () =>
      part({ header: `x-long: ${'a'.repeat(5 * megabyte)}\r\n`, content: 'a' }),
    ),
    form('project: 100,000 part headers', () => part({ header: 'x-many: a\r\n'.repeat(100_000), content: 'a' })),
    form('project: 200,000 empty fields', () =>
      Array(200_000).fill('--x\r\ncontent-disposition: form-data; name="a"\r\n\r\n\r\n').join(''),
    ),
    form('project: 30 MB of line breaks in a file', () => part({ header: '', content: '\r\n--'.repeat(8 * megabyte) })),
  ],
}

function part({ header, content }: { header: string; content: string }): string {
  return `--x\r\ncontent-disposition: form-data; name="file"; filename="a.txt"\r\n${header}\r\n${content}\r\n--x--\r\n`
}

function json(name: string, path: string, key: Key, text: () => string): Attack {
  return sending(name, path, text, (server) => {
    const secret = key(server)
    return { 'content-type': 'application/json', ...(secret === undefined ? {} : bearer(secret)) }
  })
}

function form(name: string, text: () => string): Attack {
  const type = { 'content-type': 'multipart/form-data; boundary=x' }
  return sending(name, '/v1/files', text, ({ apiKey }) => ({ ...type, ...bearer(apiKey) }))
}

/** Made before anybody is timed, and let go at the end: all of them at once would be a load of their own. */
function sending(name: string, path: string, text: () => string, headers: (server: AtollServer) => Headers): Attack {
  let body: SharedArrayBuffer | undefined
  return {
    name,
    probe: listModels,
    async prepare() {
      body = bodyOf(text())
    },
    run: (server) => send(server.url + path, { headers: headers(server), body }),
    async end() {
      body = undefined
    },
  }
}
