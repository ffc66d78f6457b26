// The files that take longest come first, so that no worker idles while another one is still at a long one.
import { BaseSequencer, type TestSpecification } from 'vitest/node'

/** Half a minute and more, as measured with two workers on two cores. */
export const longestFiles: readonly string[] = [
  'services/platform/src/fuzz/fuzz.test.ts',
  'packages/documents/hostile.test.ts',
  'services/platform/src/resources/threads/runs/tools/tool-runs.test.ts',
  'cli/crash/crash.test.ts',
  'services/platform/src/resources/threads/runs/crash.test.ts',
  'services/platform/src/resources/vector-stores/ingestion/ingestion.test.ts',
  'cli/nodes/vector-stores.test.ts',
  'services/platform/src/resources/embeddings/embeddings.test.ts',
  'services/platform/src/resources/assistants-v1/runs.test.ts',
  'cli/example-scripts.test.ts',
  'services/platform/src/resources/batches/batches.test.ts',
  'architecture/checks.test.ts',
]

export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const isLong = ({ moduleId }: TestSpecification) => longestFiles.some((file) => moduleId.endsWith(`/${file}`))
    const { long = [], other = [] } = Object.groupBy(files, (file) => (isLong(file) ? 'long' : 'other'))
    return [...(await super.sort(long)), ...(await super.sort(other))]
  }
}
