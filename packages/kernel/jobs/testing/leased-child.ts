// A node for a test to kill: it takes a job on a long lease, says so, and never ends it.
import '@atoll/testkit/keep-compiled'
import { writeSync } from 'node:fs'
import { silentLog } from '@atoll/testkit/silent-log'
import { createKernel } from '../../create-kernel.ts'
import { testKind } from './kind.ts'
import { add } from './steps.ts'

const kernel = await createKernel({
  config: JSON.parse(process.env.ATOLL_TEST_KERNEL ?? ''),
  log: silentLog,
  migrations: [],
})
const kind = testKind(
  async () => {
    writeSync(1, 'running\n')
    await new Promise(() => undefined)
  },
  { leaseSeconds: 3600 },
)
kernel.jobs.register(kind)
await kernel.start()
await add(kernel, kind)
