// Processes on an engine's machine that belong to none of its running containers.
import type { IsolatedHost } from '@atoll/engine/testing/isolated'

interface Process {
  pid: number
  parent: number
  command: string
}

/** A shim's command names the folder of its container. */
const shimOf = /\/shim\S* (?:run|exec) \S*\/run\/([0-9a-f]{64})\//

/**
 * What came from outside (the engine, this check) and what it started is right, and so are the shims of running
 * containers with all that is below them. What is left was left.
 */
export async function leakedProcesses(host: IsolatedHost, running: ReadonlySet<string>): Promise<string[]> {
  const { stdout } = await host.run('ps', ['-e', '-ww', '-o', 'pid=,ppid=,args='])
  const processes = stdout.split('\n').flatMap(readLine)
  const byPid = new Map(processes.map((process) => [process.pid, process]))
  const isRight = ({ pid, parent, command }: Process): boolean => {
    const [, id] = shimOf.exec(command) ?? []
    if (id !== undefined) return running.has(id)
    if (parent === 0 || pid === 1) return true
    const above = byPid.get(parent)
    // Orphans are the first process's; nothing that is the engine's or a container's becomes one.
    return above === undefined || (above.pid !== 1 && isRight(above))
  }
  return processes.filter((process) => !isRight(process)).map(({ pid, command }) => `${pid} ${command}`)
}

function readLine(line: string): Process[] {
  const [, pid, parent, command] = /^\s*(\d+)\s+(\d+)\s+(.*)$/.exec(line) ?? []
  return command === undefined ? [] : [{ pid: Number(pid), parent: Number(parent), command }]
}
