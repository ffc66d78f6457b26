// The part of a CSI plugin that brings volumes to its own node. Where they are brought is a folder that the plugin
// shares with the host.
import { mkdir, realpath, rmdir } from 'node:fs/promises'
import { join, posix } from 'node:path'
import { systemError } from '../../errors.ts'
import { codes } from '../../grpc/status.ts'
import { CsiCalls, type CsiParts } from './csi-calls.ts'
import { capabilities, NodeInfo, NodePublish, NodeStage, NodeUnpublish, NodeUnstage, Nothing } from './csi-messages.ts'
import { asMap, asTexts, type CsiVolume, capabilityOf, type Texts } from './csi-volume.ts'

export interface PublishedVolume extends CsiVolume {
  /** As the swarm calls it. */
  id: string
  /** What the controller said when it let the node have it. */
  publishContext: Texts
}

export interface CsiNodeInfo {
  /** Of the node, as the plugin calls it. */
  nodeId: string
  /** 0: it does not say. */
  maxVolumes: number
  topology: Record<string, string>
}

/** Beside what it publishes: names of volumes have no dot. */
const stagedFolder = '.staged'

export class CsiNode {
  readonly #parts: CsiParts
  readonly #calls: CsiCalls

  constructor(parts: CsiParts) {
    this.#parts = parts
    this.#calls = new CsiCalls(parts)
  }

  get name(): string {
    return this.#calls.name
  }

  async info(): Promise<CsiNodeInfo> {
    const told = await this.#calls.call('Node/NodeGetInfo', [Nothing, {}], NodeInfo)
    if (!told?.nodeId) throw systemError(`NodeGetInfo: plugin ${this.name} gave no id for this node`)
    return {
      ...{ nodeId: told.nodeId, maxVolumes: Number(told.maxVolumesPerNode) },
      topology: asTexts(told.accessibleTopology?.segments),
    }
  }

  /** Where it is on the host from now on; nothing changes where it is already. */
  async publish(volume: PublishedVolume): Promise<string> {
    const { staged, published } = this.#placesOf(volume.id)
    const asked = {
      ...{ volumeId: volume.volumeId, publishContext: asMap(volume.publishContext) },
      ...{ volumeCapability: capabilityOf(volume.access), secrets: asMap(volume.secrets) },
      volumeContext: asMap(volume.context),
    }
    const stagingTargetPath = (await this.#stages()) ? staged.inside : ''
    if (stagingTargetPath !== '') {
      await mkdir(staged.outside, { recursive: true, mode: 0o700 })
      await this.#calls.call('Node/NodeStageVolume', [NodeStage, { ...asked, stagingTargetPath }], Nothing)
    }
    const whole = { ...asked, stagingTargetPath, targetPath: published.inside }
    await this.#calls.call('Node/NodePublishVolume', [NodePublish, whole], Nothing)
    return this.#within(published.outside)
  }

  async unpublish({ id, volumeId }: Pick<PublishedVolume, 'id' | 'volumeId'>): Promise<void> {
    const { staged, published } = this.#placesOf(id)
    const gone = [codes.notFound]
    await this.#calls.call(
      'Node/NodeUnpublishVolume',
      [NodeUnpublish, { volumeId, targetPath: published.inside }],
      Nothing,
      gone,
    )
    if (!(await this.#stages())) return
    const asked = { volumeId, stagingTargetPath: staged.inside }
    await this.#calls.call('Node/NodeUnstageVolume', [NodeUnstage, asked], Nothing, gone)
    await rmdir(staged.outside).catch(() => {})
  }

  #stages(): Promise<boolean> {
    return this.#calls.can('Node/NodeGetCapabilities', capabilities.node.stageUnstage)
  }

  #placesOf(id: string) {
    const inside = this.#parts.plugin().config.PropagatedMount
    const outside = this.#parts.process.folders().propagated
    return {
      staged: { inside: posix.join(inside, stagedFolder, id), outside: join(outside, stagedFolder, id) },
      published: { inside: posix.join(inside, id), outside: join(outside, id) },
    }
  }

  /** A link that a plugin puts there may lead anywhere on the host. */
  async #within(path: string): Promise<string> {
    const [shared, found] = await Promise.all([
      realpath(this.#parts.process.folders().propagated),
      realpath(path).catch(() => ''),
    ])
    if (found.startsWith(`${shared}/`)) return found
    throw systemError(`NodePublishVolume: plugin ${this.name} said that the volume is there, and it is not`)
  }
}
