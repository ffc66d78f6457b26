// `./atoll migrate assistants`: what every assistant of a project becomes as responses, written to a file. Threads need
// nothing: a thread's id is a conversation's.
import { writeFile } from 'node:fs/promises'
import { redact } from '@atoll/kernel/telemetry/redaction'
import type { AssistantObject } from '@atoll/platform/resources/assistants/schema'
import { PlatformServer } from '../platform-server.ts'
import { type Moved, moved } from './response-settings.ts'

interface MigrateFlags {
  output: string
  url?: string
}

const pageSize = 100

class AssistantsServer extends PlatformServer {
  async *assistants(): AsyncGenerator<AssistantObject> {
    const headers = { 'openai-beta': 'assistants=v2' }
    for (let after = ''; ; ) {
      const page = await this.json<{ object: string; data: AssistantObject[]; has_more: boolean }>(
        `assistants?order=asc&limit=${pageSize}${after && `&after=${after}`}`,
        { headers },
      )
      yield* page.data
      const last = page.data.at(-1)
      if (!page.has_more || last === undefined) return
      after = last.id
    }
  }
}

export async function migrateAssistants({ output, url }: MigrateFlags): Promise<void> {
  try {
    const all: Moved[] = []
    for await (const assistant of new AssistantsServer(url, process.env).assistants()) all.push(moved(assistant))
    await writeFile(output, `${JSON.stringify(all, null, 2)}\n`)
    for (const { assistant_id, name, notes } of all) {
      process.stdout.write(`${assistant_id} ${name ?? ''}\n`)
      for (const note of notes) process.stdout.write(`  ${note}\n`)
    }
    process.stdout.write(`${output}: ${all.length} assistants, as fields of POST /v1/responses. Nothing was changed.\n`)
    process.stdout.write("Threads need nothing: give a thread's id as 'conversation', and it goes on where it was.\n")
  } catch (error) {
    process.stderr.write(`${redact((error as Error).message)}\n`)
    process.exitCode = 1
  }
}
