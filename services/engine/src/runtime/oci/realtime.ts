// Realtime processor time: a group can only have what the group above it has.
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { systemError } from '../../errors.ts'
import type { HostConfig } from '../../resources/containers/schema.ts'
import type { HostFacts } from './host.ts'
import { cgroupsPath } from './spec.ts'

const root = '/sys/fs/cgroup/cpu'

/** Gives the groups above a container at least the time it asks for. */
export async function allowRealtime(id: string, hostConfig: HostConfig, host: HostFacts): Promise<void> {
  const { CpuRealtimeRuntime = 0 } = hostConfig
  if (CpuRealtimeRuntime <= 0 || !host.controls.has('cpu-realtime')) return
  const names = dirname(cgroupsPath(id, hostConfig)).split('/').filter(Boolean)
  let folder = root
  for (const name of names) {
    folder = `${folder}/${name}`
    await mkdir(folder, { recursive: true })
    await raise(`${folder}/cpu.rt_runtime_us`, CpuRealtimeRuntime)
  }
}

async function raise(file: string, microseconds: number): Promise<void> {
  if (Number(await readFile(file, 'utf8')) >= microseconds) return
  try {
    await writeFile(file, String(microseconds))
  } catch {
    throw systemError(`the host has no ${microseconds} microseconds of realtime processor time left to give`)
  }
}
