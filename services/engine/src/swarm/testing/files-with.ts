// For tests: what somebody finds who reads the disks of nodes.
import { swarmFolder, type TestNode } from './start-nodes.ts'

/** The files that hold the word. What is in memory alone is seen from within the machines only. */
export async function filesWith(word: string, nodes: readonly TestNode[]): Promise<string[]> {
  const found = await Promise.all(
    nodes.map(async ({ host, folder }) => {
      const disks = [folder, swarmFolder(folder)]
      const script = 'word="$0"; find "$@" -xdev -type f -exec grep -lF "$word" {} +; true'
      return (await host.run('sh', ['-c', script, word, ...disks])).stdout
    }),
  )
  return found.flatMap((each) => each.split('\n')).filter(Boolean)
}
