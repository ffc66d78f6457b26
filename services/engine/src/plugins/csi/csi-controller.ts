// The part of a CSI plugin that makes volumes and lets nodes have them. The manager that leads calls it.

import { systemError } from '../../errors.ts'
import { codes } from '../../grpc/status.ts'
import type { ClusterSpec, ClusterVolumeInfo } from '../../resources/volumes/cluster/schema.ts'
import { CsiCalls, type CsiParts, isNo } from './csi-calls.ts'
import {
  Capabilities,
  ControllerPublish,
  ControllerPublished,
  ControllerUnpublish,
  CreatedVolume,
  CreateVolume,
  capabilities,
  DeleteVolume,
  Nothing,
} from './csi-messages.ts'
import { asMap, asTexts, type CsiVolume, capabilityOf, type Texts } from './csi-volume.ts'

export interface VolumeWish {
  name: string
  spec: ClusterSpec
  parameters: Texts
  secrets: Texts
}

const maxIdLetters = 4_096

/** The plugin has nothing of the volume: it said so. */
export class NotMade extends Error {}

export class CsiController {
  readonly #calls: CsiCalls

  constructor(parts: CsiParts) {
    this.#calls = new CsiCalls(parts)
  }

  /** The same one when it is asked for again by its name. `NotMade`: it is not there; otherwise it may be. */
  async create({ name, spec, parameters, secrets }: VolumeWish): Promise<ClusterVolumeInfo> {
    if (!(await this.#can(capabilities.controller.createDelete))) {
      throw new NotMade(`plugin ${this.#calls.name} cannot make volumes`)
    }
    const { RequiredBytes = 0, LimitBytes = 0 } = spec.CapacityRange ?? {}
    const range = { requiredBytes: BigInt(RequiredBytes), limitBytes: BigInt(LimitBytes) }
    const asked = {
      ...{ name, parameters: asMap(parameters), secrets: asMap(secrets) },
      volumeCapabilities: [capabilityOf(spec.AccessMode)],
      ...(RequiredBytes > 0 || LimitBytes > 0 ? { capacityRange: range } : {}),
      ...(await this.#places(spec.AccessibilityRequirements)),
    }
    const told = await this.#calls
      .call('Controller/CreateVolume', [CreateVolume, asked], CreatedVolume)
      .catch((error: Error) => {
        throw isNo(error) ? new NotMade(error.message) : error
      })
    const { volumeId = '', capacityBytes = 0n, volumeContext, accessibleTopology = [] } = told?.volume ?? {}
    if (volumeId === '' || volumeId.length > maxIdLetters) {
      throw systemError(`CreateVolume: plugin ${this.#calls.name} gave no id that could be one`)
    }
    return {
      ...{ VolumeID: volumeId, CapacityBytes: Number(capacityBytes), VolumeContext: asTexts(volumeContext) },
      AccessibleTopology: accessibleTopology.map(({ segments }) => ({ Segments: asTexts(segments) })),
    }
  }

  async delete({ volumeId, secrets }: Pick<CsiVolume, 'volumeId' | 'secrets'>): Promise<void> {
    if (!(await this.#can(capabilities.controller.createDelete))) return
    await this.#calls.call('Controller/DeleteVolume', [DeleteVolume, { volumeId, secrets: asMap(secrets) }], Nothing, [
      codes.notFound,
    ])
  }

  /** What the node's part of the plugin is to be told. */
  async publish({ volumeId, access, context, secrets }: CsiVolume, nodeId: string): Promise<Record<string, string>> {
    if (!(await this.#can(capabilities.controller.publishUnpublish))) return {}
    const asked = {
      ...{ volumeId, nodeId, volumeCapability: capabilityOf(access) },
      ...{ secrets: asMap(secrets), volumeContext: asMap(context) },
    }
    const told = await this.#calls.call(
      'Controller/ControllerPublishVolume',
      [ControllerPublish, asked],
      ControllerPublished,
    )
    return asTexts(told?.publishContext)
  }

  /** A volume or a node that the plugin does not know has nothing of the other. */
  async unpublish({ volumeId, secrets }: Pick<CsiVolume, 'volumeId' | 'secrets'>, nodeId: string): Promise<void> {
    if (!(await this.#can(capabilities.controller.publishUnpublish))) return
    const asked = { volumeId, nodeId, secrets: asMap(secrets) }
    await this.#calls.call('Controller/ControllerUnpublishVolume', [ControllerUnpublish, asked], Nothing, [
      codes.notFound,
    ])
  }

  #can(wanted: number): Promise<boolean> {
    return this.#calls.can('Controller/ControllerGetCapabilities', wanted)
  }

  async #places(asked: ClusterSpec['AccessibilityRequirements']) {
    const { Requisite = [], Preferred = [] } = asked ?? {}
    if (Requisite.length + Preferred.length === 0) return {}
    const told = await this.#calls.call('Identity/GetPluginCapabilities', [Nothing, {}], Capabilities)
    if (!told?.capabilities.some(({ typed }) => typed?.type === capabilities.plugin.places)) {
      throw new NotMade(`plugin ${this.#calls.name} does not know where its volumes are: leave out their topology`)
    }
    const places = (all: typeof Requisite) => all.map(({ Segments = {} }) => ({ segments: asMap(Segments) }))
    return { accessibilityRequirements: { requisite: places(Requisite), preferred: places(Preferred) } }
  }
}
