// The files that take longest come first, so that no worker idles while another one is still at a long one.
import { BaseSequencer, type TestSpecification } from 'vitest/node'

/** A third of a minute and more. */
export const longestFiles: readonly string[] = [
  'cli/console/machine.test.ts',
  'cli/backup/backup.test.ts',
  'cli/blobs/move.test.ts',
  'services/engine/src/swarm/upkeep.test.ts',
  'services/engine/src/swarm/faults.test.ts',
  'packages/kernel/blobs/s3/s3-store.test.ts',
  'services/hooks/src/agent/turns/turns.test.ts',
  'cli/engine/run-options.test.ts',
  'services/cluster/src/resources/bdbs/pulse.test.ts',
  'packages/documents/hostile.test.ts',
  'services/platform/src/unstoppable/models.test.ts',
  'cli/example-scripts.test.ts',
  'cli/engine/atoll-image.test.ts',
  'cli/readme/readme.test.ts',
  'cli/keys/keys.test.ts',
  'cli/up/storage.test.ts',
  'cli/crash/crash.test.ts',
  'cli/vector-stores/upgrade.test.ts',
  'cli/nodes/vector-stores.test.ts',
  'cli/nodes/batches.test.ts',
  'cli/engine/compose-tour.test.ts',
  'cli/engine/crash.test.ts',
  'cli/cluster/cluster.test.ts',
  'services/cluster/src/upgrade/upgrade.test.ts',
  'services/platform/src/resources/threads/runs/crash.test.ts',
  'services/platform/src/resources/vector-stores/ingestion/ingestion.test.ts',
  'services/platform/src/resources/vector-stores/ingestion/scanned-files.test.ts',
  'services/platform/src/resources/batches/batches.test.ts',
  'packages/sandbox/pyodide/escape.test.ts',
  'packages/sandbox/pyodide/sandbox.test.ts',
  'packages/sandbox/pyodide/hostile.test.ts',
  'services/engine/src/resources/containers/limit-effects.test.ts',
  'architecture/checks.test.ts',
  'services/engine/src/swarm/managers.test.ts',
  'services/engine/src/swarm/nodes.test.ts',
  'services/platform/src/unstoppable/bodies.test.ts',
  'services/hooks/src/agent/heartbeat/crash.test.ts',
  'cli/engine/swarm-tour.test.ts',
  'cli/console/console.test.ts',
  'services/platform/src/resources/fine-tuning/faults.test.ts',
  'cli/nodes/hooks.test.ts',
  'cli/engine/docker-tour.test.ts',
  'services/engine/src/resources/build/build-effects.test.ts',
  'services/cluster/src/proxy/shared-link.test.ts',
  'services/hooks/src/agent/heartbeat/heartbeat.test.ts',
  'services/platform/src/resources/responses/crash.test.ts',
]

export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const isLong = ({ moduleId }: TestSpecification) => longestFiles.some((file) => moduleId.endsWith(`/${file}`))
    const { long = [], other = [] } = Object.groupBy(files, (file) => (isLong(file) ? 'long' : 'other'))
    return [...(await super.sort(long)), ...(await super.sort(other))]
  }
}
