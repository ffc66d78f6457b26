// Assistants: what a run costs besides its model, how soon its words and its code's output come, many runs at once.
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { availableParallelism, loadavg, tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { AssistantsClient } from './assistants/client.ts'
import { showCode } from './assistants/code.ts'
import { showManyRuns } from './assistants/many-runs.ts'
import { showOverhead } from './assistants/overhead.ts'
import { spawnServer } from './atoll-server.ts'
import { bench as benchIngestion } from './ingestion.ts'
import { writeUpstreamConfig } from './upstream-config.ts'

export async function bench(): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'atoll-bench-assistants-'))
  const model = fork(fileURLToPath(new URL('./assistants/model-process.ts', import.meta.url)))
  try {
    const [port] = (await once(model, 'message')) as [number]
    const server = await spawnServer(['--config', await writeUpstreamConfig(folder, `http://127.0.0.1:${port}/v1`)])
    try {
      const client = new AssistantsClient(server)
      showLoad()
      await showOverhead(client, server.process)
      await showManyRuns(client)
      await showCode(client)
      showLoad()
    } finally {
      await server.close()
    }
  } finally {
    model.kill()
    await rm(folder, { recursive: true, force: true })
  }
  console.log('  Files into vector stores')
  await benchIngestion()
}

/** A machine that others use too makes every figure here worse. */
function showLoad(): void {
  const [lastMinute = 0] = loadavg()
  console.log(`  load of the machine: ${lastMinute.toFixed(1)} on ${availableParallelism()} cores`)
}
