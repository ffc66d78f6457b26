// How the machine is, for the console's first page: the last hour's requests, and what room there is.
import { statfs } from 'node:fs/promises'
import { freemem, totalmem } from 'node:os'
import type { RecentRequests } from './recent-requests.ts'
import type { ConsoleActivity } from './schema.ts'

export async function activityOf(recent: RecentRequests, folder: string): Promise<ConsoleActivity> {
  const { bavail, blocks, bsize } = await statfs(folder)
  return {
    object: 'console.activity',
    data: recent.list(),
    disk: { free_bytes: bavail * bsize, total_bytes: blocks * bsize },
    memory: { free_bytes: freemem(), total_bytes: totalmem() },
  }
}
