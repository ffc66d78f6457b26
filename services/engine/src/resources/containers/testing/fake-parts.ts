// Stand-ins for the other parts of the engine, which have tests of their own.
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { noSuchNetwork } from '../../../errors.ts'
import type { ImageConfig, Images, Platform, StoredImage } from '../../../images/images.ts'
import type { Mounts } from '../../../mounts/mounts.ts'
import type { AttachedNetworks, NetworkedContainer, Networking } from '../../../network/networking.ts'
import { OciSpecs } from '../../../runtime/oci/specs.ts'
import { testHost } from '../../../runtime/oci/testing/spec-input.ts'
import type { ContainerSpecs, SpecInput } from '../ports.ts'
import type { ContainerRecord, MountPoint } from '../record.ts'
import type { ContainerConfig, EndpointSettings, HostConfig } from '../schema.ts'

export class FakeImages implements Pick<Images, 'find'> {
  readonly hostPlatform: Platform = { os: 'linux', architecture: 'amd64' }
  readonly stored = new Map<string, StoredImage>()
  readonly removed: string[] = []
  users: (imageId: string) => string[] = () => []
  failRemoval: Error | undefined
  readonly #folder: string

  constructor(folder: string) {
    this.#folder = folder
    this.add('busybox:latest', { Env: ['PATH=/bin'], Cmd: ['sh'] })
  }

  add(
    name: string,
    config: NonNullable<ImageConfig['config']>,
    architecture = 'amd64',
    layers: string[] = [],
  ): StoredImage {
    const image: StoredImage = {
      id: `sha256:${String(this.stored.size + 1).padStart(64, '0')}`,
      config: { architecture, os: 'linux', config, rootfs: { type: 'layers', diff_ids: layers } },
      repoTags: [name],
      repoDigests: [],
      size: 10,
      created: undefined,
    }
    this.stored.set(name, image)
    return image
  }

  async find(reference: string, platform?: Platform): Promise<StoredImage | undefined> {
    const found = this.stored.get(reference) ?? this.stored.get(`${reference}:latest`)
    const image = found ?? [...this.stored.values()].find(({ id }) => id === reference)
    const isOther = platform !== undefined && platform.architecture !== image?.config.architecture
    return isOther ? undefined : image
  }

  usedBy(check: (imageId: string) => string[]): void {
    this.users = check
  }

  async createRootfs(containerId: string) {
    const rootfs = await this.rootfs(containerId)
    await mkdir(rootfs.upper, { recursive: true })
    return rootfs
  }

  async rootfs(containerId: string) {
    const folder = join(this.#folder, 'containers', containerId)
    return { lower: ['/layers/1'], upper: join(folder, 'upper'), work: join(folder, 'work') }
  }

  async removeRootfs(containerId: string): Promise<void> {
    if (this.failRemoval !== undefined) throw this.failRemoval
    this.removed.push(containerId)
  }

  async rootfsSize() {
    return { own: 5, all: 15 }
  }

  commit(): Promise<never> {
    return Promise.reject(new Error('nobody commits in these tests'))
  }
}

export class FakeNetworking implements Networking {
  readonly attached = new Map<string, NetworkedContainer>()
  readonly restored: string[] = []
  readonly #names = ['bridge', 'host', 'none', 'mine', 'other']

  async check(endpoints: Record<string, EndpointSettings>): Promise<string[]> {
    return Object.entries(endpoints).flatMap(([name, { IPAMConfig }]) => [
      ...(this.#names.includes(name) ? [] : [`network ${name} not found`]),
      ...(IPAMConfig?.IPv4Address && !/^[\d.]+$/.test(IPAMConfig.IPv4Address)
        ? [`invalid IPv4 address: ${IPAMConfig.IPv4Address}`]
        : []),
    ])
  }

  async resolve(name: string) {
    if (!this.#names.includes(name)) throw noSuchNetwork(name)
    return { id: `id-of-${name}`, name, driver: 'bridge' }
  }

  async attach(container: NetworkedContainer): Promise<AttachedNetworks> {
    this.attached.set(container.id, container)
    const given = Object.entries(container.endpoints).map(([name, endpoint], index) => [
      name,
      {
        ...endpoint,
        EndpointID: `endpoint-${name}`,
        IPAddress: `172.17.0.${this.attached.size + 1 + index}`,
        IPPrefixLen: 16,
        Gateway: '172.17.0.1',
        MacAddress: endpoint.MacAddress ?? '02:42:ac:11:00:02',
        DNSNames: [container.name, container.id.slice(0, 12)],
      },
    ])
    const ports = Object.entries(container.portBindings).map(([port, places]) => [
      port,
      (places ?? []).map(({ HostIp, HostPort }) => ({ HostIp: HostIp || '0.0.0.0', HostPort: HostPort || '32768' })),
    ])
    return { endpoints: Object.fromEntries(given), ports: Object.fromEntries(ports) }
  }

  async admit(): Promise<void> {}

  async detach(containerId: string): Promise<void> {
    this.attached.delete(containerId)
  }

  async restore(running: readonly NetworkedContainer[]): Promise<void> {
    this.restored.push(...running.map(({ id }) => id))
  }

  renamed(): Record<string, never> {
    return {}
  }

  async resolvConf(): Promise<string> {
    return 'nameserver 172.17.0.1\n'
  }

  async stats() {
    return {}
  }
}

export class FakeMounts implements Mounts {
  readonly removed: string[] = []

  async check(_config: ContainerConfig, { Binds = [] }: HostConfig): Promise<string[]> {
    return Binds.filter((bind) => !bind.includes(':')).map((bind) => `invalid volume specification: '${bind}'`)
  }

  async resolve(_id: string, _config: ContainerConfig, { Binds = [], Mounts: asked = [] }: HostConfig) {
    const binds = Binds.map((bind): MountPoint => {
      const [Source = '', Destination = '', Mode = ''] = bind.split(':')
      return { Type: 'bind', Source, Destination, Mode, RW: Mode !== 'ro', Propagation: 'rprivate' }
    })
    const mounts = asked.map(
      ({ Source = '', Target = '', ReadOnly, BindOptions: options }): MountPoint => ({
        Type: 'bind',
        Source,
        Destination: Target,
        Mode: '',
        RW: ReadOnly !== true,
        Propagation: 'rprivate',
        options: {
          nonRecursive: options?.NonRecursive === true,
          readOnlyNonRecursive: options?.ReadOnlyNonRecursive === true,
          readOnlyForceRecursive: options?.ReadOnlyForceRecursive === true,
        },
      }),
    )
    return { mounts: [...binds, ...mounts], anonymousVolumes: [] }
  }

  async prepare(_id: string, mounts: readonly MountPoint[]): Promise<MountPoint[]> {
    return [...mounts]
  }

  release(): void {}
  async verify(): Promise<void> {}
  announce(): void {}

  async removeAnonymous(containerId: string): Promise<void> {
    this.removed.push(containerId)
  }

  async removeAbandoned(containerId: string): Promise<void> {
    this.removed.push(containerId)
  }
}

export class FakeSpecs implements ContainerSpecs {
  readonly built: SpecInput[] = []

  /** The real one, on a machine that can do everything. */
  check(config: ContainerConfig, hostConfig: HostConfig) {
    return new OciSpecs({ host: testHost(), rootfs: () => Promise.reject(new Error('not asked')) }).check(
      config,
      hostConfig,
    )
  }

  async build(input: SpecInput) {
    this.built.push(input)
    return {
      ociVersion: '1.0.2',
      process: await this.process(input.record, [input.record.path, ...input.record.args]),
      root: { path: 'rootfs' },
      mounts: [],
      linux: { namespaces: [], resources: {}, cgroupsPath: '/x' },
    }
  }

  async resources({ Memory, PidsLimit }: HostConfig) {
    return { memory: { limit: Memory ?? 0 }, pids: { limit: PidsLimit ?? -1 } }
  }

  async process({ config }: ContainerRecord, args: readonly string[]) {
    return { terminal: false, user: { uid: 0, gid: 0 }, args: [...args], env: config.Env ?? [], cwd: '/' }
  }
}
