// Answers of many megabytes, beside another caller's GET /v1/models.
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import type { AtollServer } from '../atoll-server.ts'
import type { Attack, AttackGroup } from './attack.ts'
import { bearer, bodyOf, listModels, send } from './requests.ts'

const pageSize = 100
/** The most that a message, or the instructions of an assistant, may have. */
const longText = 'word '.repeat(51_200)
const storedId = 'chatcmpl-1000000001'

const headersOf = ({ apiKey }: AtollServer) => ({
  'content-type': 'application/json',
  'openai-beta': 'assistants=v2',
  ...bearer(apiKey),
})

async function create(server: AtollServer, path: string, body: unknown): Promise<string> {
  const init = { method: 'POST', headers: headersOf(server), body: JSON.stringify(body) }
  const response = await fetch(`${server.url}/v1/${path}`, init)
  if (response.status !== 200) throw new Error(`POST /v1/${path} answered ${response.status}`)
  return ((await response.json()) as { id: string }).id
}

const thread = { messages: Array.from({ length: pageSize }, () => ({ role: 'user', content: longText })) }

/** As if a model with a very long context had been asked: by a second process, which SQLite allows. */
function storeCompletion({ data }: AtollServer): void {
  const db = new DatabaseSync(join(data, 'atoll.db'), { timeout: 60_000 })
  const project = '(select id from projects order by position limit 1)'
  db.prepare(`insert into chat_completions
      (id, position, project_id, created_at, model, requested_model, metadata, completion, messages)
    select ?, 1, ${project}, 1, 'gpt-4o', 'gpt-4o', '{}', '{}', ?`).run(storedId, JSON.stringify(thread.messages))
  db.close()
}

const get = (name: string, made: (server: AtollServer) => Promise<string>): Attack => {
  let path = ''
  return {
    name,
    probe: listModels,
    async prepare(server) {
      path = await made(server)
    },
    run: (server) => send(`${server.url}/v1/${path}`, { method: 'GET', headers: headersOf(server) }),
  }
}

const newThread = bodyOf(JSON.stringify(thread))

export const answers: AttackGroup = {
  title: 'Answers',
  flags: [],
  goalMs: (idleMs) => idleMs + 50,
  attacks: [
    {
      name: 'a new thread of 25 MB',
      probe: listModels,
      run: (server) => send(`${server.url}/v1/threads`, { headers: headersOf(server), body: newThread }),
    },
    get('100 messages of a thread, 25 MB', async (server) => {
      return `threads/${await create(server, 'threads', thread)}/messages?limit=${pageSize}`
    }),
    get('100 assistants, 25 MB', async (server) => {
      for (let index = 0; index < pageSize; index++) {
        await create(server, 'assistants', { model: 'gpt-4o', instructions: longText })
      }
      return `assistants?limit=${pageSize}`
    }),
    get('the messages of a stored completion, 25 MB', async (server) => {
      storeCompletion(server)
      return `chat/completions/${storedId}/messages?limit=${pageSize}`
    }),
  ],
}
