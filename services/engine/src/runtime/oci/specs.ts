// From containers to what their runtime is told: reads what a configuration depends on, and has it built.
import { checkPropagation } from '../../mounts/propagation.ts'
import { withoutRecursion } from '../../mounts/single-files.ts'
import { resolveSubpaths } from '../../mounts/subpath.ts'
import type { ContainerSpecs, SpecInput } from '../../resources/containers/ports.ts'
import type { ContainerRecord } from '../../resources/containers/record.ts'
import type { ContainerConfig, HostConfig } from '../../resources/containers/schema.ts'
import type { OciProcess, OciResources, OciSpec, Rootfs } from '../runtime.ts'
import { checkHostConfig } from './check-host-config.ts'
import { createWarnings } from './create-warnings.ts'
import { findDevices } from './devices.ts'
import type { HostFacts } from './host.ts'
import { readIdentityFiles, readIdentityInside } from './identity-files.ts'
import { joinedContainer } from './namespaces.ts'
import { buildExecProcess, type ExecRequest } from './process.ts'
import { allowRealtime } from './realtime.ts'
import { buildResources } from './resources.ts'
import { makeSharedMemory, sharedMemoryFolder, sharedMemoryHooks } from './shared-memory.ts'
import { buildSpec } from './spec.ts'
import type { IdentityFiles } from './users.ts'

interface SpecSources {
  host: HostFacts
  /** Of a container whose record does not say. */
  rootfs(containerId: string, imageId: string): Promise<Rootfs>
}

export class OciSpecs implements ContainerSpecs {
  readonly #sources: SpecSources

  constructor(sources: SpecSources) {
    this.#sources = sources
  }

  async check(_config: ContainerConfig, hostConfig: HostConfig): Promise<{ problems: string[]; warnings: string[] }> {
    const { host } = this.#sources
    const problems = checkHostConfig(hostConfig, host)
    return { problems, warnings: problems.length > 0 ? [] : createWarnings(hostConfig, host) }
  }

  async build({ record, rootfs, files, joined, ipcOwner }: SpecInput): Promise<OciSpec> {
    const { host } = this.#sources
    const { hostConfig, id } = record
    const [devices, identity, mounts] = await Promise.all([
      findDevices(hostConfig),
      readIdentityFiles(rootfs),
      resolveSubpaths(record.mounts).then(withoutRecursion).then(checkPropagation),
      allowRealtime(id, hostConfig, host),
    ])
    const isShared = hostConfig.IpcMode === 'shareable'
    const sharedMemory = isShared ? await makeSharedMemory(id) : joinedMemory(hostConfig, ipcOwner)
    const { spec } = buildSpec({
      container: record,
      mounts,
      host,
      devices,
      identity,
      joined,
      etc: files,
      ...(sharedMemory === undefined ? {} : { sharedMemory }),
    })
    return isShared ? { ...spec, hooks: sharedMemoryHooks(id) } : spec
  }

  async resources(hostConfig: HostConfig): Promise<OciResources> {
    const { blocks } = await findDevices({ ...hostConfig, Devices: [], Privileged: false })
    return buildResources(hostConfig, this.#sources.host, blocks).resources
  }

  process(record: ContainerRecord, args: readonly string[]): Promise<OciProcess> {
    return this.exec(record, { cmd: args, tty: false })
  }

  /** As a caller asks for it. */
  async exec(record: ContainerRecord, request: ExecRequest): Promise<OciProcess> {
    const { pid } = record.state
    const identity = (pid > 0 ? await readIdentityInside(pid) : undefined) ?? (await this.#identityOf(record))
    return buildExecProcess({ container: record, exec: request, host: this.#sources.host, identity })
  }

  async #identityOf(record: ContainerRecord): Promise<IdentityFiles> {
    return readIdentityFiles(record.rootfs ?? (await this.#sources.rootfs(record.id, record.imageId)))
  }
}

const joinedMemory = ({ IpcMode }: HostConfig, owner: string | undefined): string | undefined =>
  joinedContainer(IpcMode) === undefined || owner === undefined ? undefined : sharedMemoryFolder(owner)
