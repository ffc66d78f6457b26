// The configuration of a server with one model, behind an upstream.
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'

const plenty = 1_000_000_000

/** The path of the file, in this folder. */
export async function writeUpstreamConfig(folder: string, url: string): Promise<string> {
  const config = {
    platform: {
      runtimes: { stub: { kind: 'upstream', replicas: [url], model: 'stub' } },
      models: [{ id: 'stub', runtime: 'stub', serves: ['chat'] }],
      rateLimits: { requestsPerMinute: plenty, tokensPerMinute: plenty },
    },
  }
  const file = join(folder, 'atoll.json')
  await writeFile(file, JSON.stringify(config))
  return file
}
