// Large and costly files of one project, beside another's note, its question, and its list of models.
import { setTimeout } from 'node:timers/promises'
import { pdfFile } from '@atoll/documents/testing/pdf-file'
import type { AtollServer } from '../atoll-server.ts'
import { realSentences } from '../vector-data.ts'
import type { Attack, AttackGroup, Probe } from './attack.ts'
import { bearer } from './requests.ts'

const megabyte = 1_000_000
const pollMs = 5
/** So long the files are worked on beside the other project; what is left of them is then taken away. */
const besideMs = 15_000

interface Content {
  name: string
  bytes: () => string | Uint8Array<ArrayBuffer>
}

const words = realSentences(2_000).join(' ')
const prose = (bytes: number): string => words.repeat(Math.ceil(bytes / words.length)).slice(0, bytes)
const page = (number: number): string => prose(200_000).slice(number * 500, number * 500 + 2_500)
const text: Content = { name: 'large.txt', bytes: () => prose(20 * megabyte) }
const json: Content = { name: 'deep.json', bytes: () => '['.repeat(1.5 * megabyte) + ']'.repeat(1.5 * megabyte) }
const pdf: Content = {
  name: 'pages.pdf',
  bytes: () => new Uint8Array(pdfFile(Array.from({ length: 350 }, (_, index) => page(index)))),
}

/** Keys of a second project, by server. */
const others = new WeakMap<AtollServer, string>()

async function call<Answer>(server: AtollServer, key: string, method: string, path: string, body?: object | FormData) {
  const isForm = body instanceof FormData
  const response = await fetch(`${server.url}/v1${path}`, {
    method,
    headers: { ...bearer(key), ...(isForm ? {} : { 'content-type': 'application/json' }) },
    ...(body === undefined ? {} : { body: isForm ? body : JSON.stringify(body) }),
  })
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`)
  return (await response.json()) as Answer
}

async function upload(server: AtollServer, key: string, { name, bytes }: Content): Promise<string> {
  const form = new FormData()
  form.set('purpose', 'assistants')
  form.set('file', new Blob([bytes()]), name)
  return (await call<{ id: string }>(server, key, 'POST', '/files', form)).id
}

async function addProject(server: AtollServer): Promise<void> {
  if (others.has(server)) return
  const admin = (path: string, name: string) =>
    call<{ id: string; api_key: { value: string } }>(server, server.adminKey, 'POST', path, { name })
  const { id } = await admin('/organization/projects', 'other')
  const { api_key } = await admin(`/organization/projects/${id}/service_accounts`, 'other')
  others.set(server, api_key.value)
}

const otherKey = (server: AtollServer): string => others.get(server) ?? ''

/** Eleven bytes, from the upload until they are found. */
const note: Probe = {
  name: 'a note of 11 bytes',
  everyMs: 100,
  async ask(server) {
    const key = otherKey(server)
    const file = await upload(server, key, { name: 'note.txt', bytes: () => 'hello world' })
    const { id } = await call<{ id: string }>(server, key, 'POST', '/vector_stores', { file_ids: [file] })
    const isRead = async (): Promise<boolean> =>
      (await call<{ status: string }>(server, key, 'GET', `/vector_stores/${id}`)).status === 'completed'
    while (!(await isRead())) await setTimeout(pollMs)
  },
}

const question: Probe = {
  name: 'an embedding of two words',
  everyMs: 50,
  async ask(server) {
    const body = { model: 'text-embedding-3-small', input: 'two words' }
    await call(server, otherKey(server), 'POST', '/embeddings', body)
  },
}

const models: Probe = {
  name: 'GET /v1/models',
  everyMs: 5,
  async ask(server) {
    await call(server, otherKey(server), 'GET', '/models')
  },
}

function adding(name: string, probe: Probe, contents: readonly Content[]): Attack {
  let files: string[] = []
  return {
    name: `${name}; ${probe.name}`,
    probe,
    rounds: 1,
    async prepare(server) {
      await addProject(server)
      files = await Promise.all(contents.map((content) => upload(server, server.apiKey, content)))
    },
    async run(server) {
      const { id } = await call<{ id: string }>(server, server.apiKey, 'POST', '/vector_stores', { file_ids: files })
      await setTimeout(besideMs)
      await call(server, server.apiKey, 'DELETE', `/vector_stores/${id}`)
    },
  }
}

const beside = (probe: Probe): Attack[] => [
  adding('a text of 20 MB', probe, [text]),
  adding('2 PDFs, nested JSON of 3 MB, a text of 20 MB', probe, [pdf, pdf, json, text]),
]

export const intake: readonly AttackGroup[] = [
  { title: 'Files', flags: [], goalMs: (idleMs) => 2 * idleMs + 100, attacks: beside(note) },
  { title: 'Files', flags: [], goalMs: (idleMs) => 3 * idleMs + 100, attacks: beside(question) },
  { title: 'Files', flags: [], goalMs: (idleMs) => idleMs + 50, attacks: beside(models) },
]
