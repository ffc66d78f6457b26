// Lists over 150,000 stored completions, beside another caller's GET /v1/models.
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import type { AtollServer } from '../atoll-server.ts'
import type { Attack, AttackGroup } from './attack.ts'
import { bearer, listModels, send } from './requests.ts'

const stored = 150_000
const listsAtOnce = 4

const answer = JSON.stringify({
  id: 'chatcmpl-1',
  object: 'chat.completion',
  created: 1,
  model: 'gpt-4o',
  choices: [{ index: 0, message: { role: 'assistant', content: 'word '.repeat(100) }, finish_reason: 'stop' }],
})

const filled = new Set<string>()

/** As if the project had kept as many calls, all with the same tag: by a second process, which SQLite allows. */
async function fill({ data }: AtollServer): Promise<void> {
  if (filled.has(data)) return
  filled.add(data)
  const db = new DatabaseSync(join(data, 'atoll.db'), { timeout: 60_000 })
  const numbers = `with recursive numbers (n) as (select 1 union all select n + 1 from numbers where n < ${stored})`
  const project = '(select id from projects order by position limit 1)'
  const id = `'chatcmpl-' || (${10 ** 9} + n)`
  db.prepare(`insert into chat_completions
      (id, position, project_id, created_at, model, requested_model, metadata, completion, messages) ${numbers}
    select ${id}, n, ${project}, n, 'gpt-4o', 'gpt-4o', '{"team":"blue"}', ?, '[]' from numbers`).run(answer)
  const terms = 'chat_completion_terms (completion_id, project_id, position, kind, name, value)'
  for (const [kind, name, value] of [
    ['model', '', 'gpt-4o'],
    ['metadata', 'team', 'blue'],
  ] as const) {
    db.prepare(`insert into ${terms} ${numbers} select ${id}, ${project}, n, ?, ?, ? from numbers`).run(
      kind,
      name,
      value,
    )
  }
  db.close()
}

const list = (name: string, query: string): Attack => ({
  name: `${listsAtOnce} at once: ${name}`,
  probe: listModels,
  prepare: fill,
  async run({ url, apiKey }) {
    const path = `${url}/v1/chat/completions?${query}`
    const one = () => send(path, { method: 'GET', headers: bearer(apiKey) })
    await Promise.all(Array.from({ length: listsAtOnce }, one))
  },
})

export const reads: AttackGroup = {
  title: `Lists over ${stored} stored completions`,
  flags: [],
  goalMs: (idleMs) => idleMs + 50,
  attacks: [
    list('a model that none has', 'model=absent'),
    list('a tag that none has', 'metadata[team]=red'),
    list('a tag that all have, a model that none has', 'metadata[team]=blue&model=absent'),
    list('the first hundred', 'limit=100'),
  ],
}
