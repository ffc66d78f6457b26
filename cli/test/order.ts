// The files that take longest come first, so that no worker idles while another one is still at a long one.
import { BaseSequencer, type TestSpecification } from 'vitest/node'

/** Need no programs of Debian's, which may be installed meanwhile. */
const needingNothing = [
  'architecture/checks.test.ts',
  'packages/sandbox/pyodide/hostile.test.ts',
  'packages/documents/hostile.test.ts',
  'packages/sandbox/pyodide/escape.test.ts',
  'packages/sandbox/pyodide/sandbox.test.ts',
]

/** A third of a minute and more on two processors, the longest first. */
export const longestFiles: readonly string[] = [
  ...needingNothing,
  'cli/console/console.test.ts',
  'cli/backup/backup.test.ts',
  'cli/console/machine.test.ts',
  'services/engine/src/swarm/upkeep.test.ts',
  'services/engine/src/swarm/managers.test.ts',
  'services/engine/src/swarm/nodes.test.ts',
  'cli/readme/readme.test.ts',
  'cli/console/media.test.ts',
  'cli/example-scripts.test.ts',
  'services/cluster/src/upgrade/upgrade.test.ts',
  'cli/cluster/cluster.test.ts',
  'cli/nodes/vector-stores.test.ts',
  'services/hooks/src/agent/heartbeat/crash.test.ts',
  'cli/engine/compose-tour.test.ts',
  'packages/kernel/blobs/s3/s3-store.test.ts',
  'cli/blobs/move.test.ts',
  'cli/up/storage.test.ts',
  'cli/engine/docker-tour.test.ts',
  'cli/nodes/batches.test.ts',
  'services/platform/src/resources/threads/runs/crash.test.ts',
  'packages/models/builtin/transcription/transcription.test.ts',
  'services/platform/src/unstoppable/models.test.ts',
  'services/engine/src/resources/build/build-effects.test.ts',
  'services/platform/src/resources/batches/batches.test.ts',
  'cli/org/org.test.ts',
  'services/cluster/src/proxy/shared-link.test.ts',
  'services/platform/src/resources/responses/crash.test.ts',
  'cli/chaos/chaos.test.ts',
  'cli/engine/build.test.ts',
  'cli/engine/bundle.test.ts',
  'cli/keys/keys.test.ts',
  'services/hooks/src/attacks/attacks.test.ts',
  'cli/up/start-and-stop.test.ts',
  'services/engine/src/resources/containers/limit-effects.test.ts',
  'cli/batch/batch.test.ts',
  'services/engine/src/resources/build/cache-effects.test.ts',
  'cli/engine/crash.test.ts',
  'services/engine/src/resources/plugins/plugins.test.ts',
  'services/platform/src/resources/fine-tuning/faults.test.ts',
  'services/cluster/src/resources/bdbs/pulse.test.ts',
  'cli/vector-stores/upgrade.test.ts',
  'cli/nodes/hooks.test.ts',
  'services/platform/src/resources/threads/runs/runs.test.ts',
  'services/cluster/src/resources/bdbs/supervision.test.ts',
  'packages/documents/fairness.test.ts',
  'packages/kernel/vectors/index.test.ts',
  'services/platform/src/resources/images/images.test.ts',
  'cli/tune/tune.test.ts',
  'cli/models/models.test.ts',
  'cli/engine/sample-projects.test.ts',
  'services/platform/src/resources/vector-stores/ingestion/scanned-files.test.ts',
  'cli/engine/much-at-once.test.ts',
  'packages/kernel/blobs/contract.test.ts',
]

export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const placeOf = ({ moduleId }: TestSpecification) => longestFiles.findIndex((file) => moduleId.endsWith(`/${file}`))
    const { long = [], other = [] } = Object.groupBy(files, (file) => (placeOf(file) === -1 ? 'other' : 'long'))
    return [...long.toSorted((one, next) => placeOf(one) - placeOf(next)), ...(await super.sort(other))]
  }
}
