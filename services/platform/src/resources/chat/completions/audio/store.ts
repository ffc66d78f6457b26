import type { Queries, Tx } from '@atoll/kernel/db/database'

export interface ChatAudioRow {
  id: string
  project_id: string
  transcript: string
  expires_at: number
}

declare module '@atoll/kernel/db/database' {
  interface Tables {
    chat_audios: ChatAudioRow
  }
}

export const insertAudio = (tx: Tx, row: ChatAudioRow) => tx.insertInto('chat_audios').values(row).execute()

export const findAudio = (queries: Queries, projectId: string, id: string) =>
  queries
    .selectFrom('chat_audios')
    .selectAll()
    .where('id', '=', id)
    .where('project_id', '=', projectId)
    .executeTakeFirst()

export const listOverdue = (queries: Queries, now: number, limit: number) =>
  queries
    .selectFrom('chat_audios')
    .select('id')
    .where('expires_at', '<=', now)
    .orderBy('expires_at')
    .orderBy('id')
    .limit(limit)
    .execute()

export const deleteAudios = (tx: Tx, ids: readonly string[]) =>
  tx.deleteFrom('chat_audios').where('id', 'in', ids).execute()
