// What the Container Storage Interface says over gRPC, as far as volumes of a swarm need it.
import { int32, int64, map, message, nested, repeated, string } from '../../grpc/message.ts'

const texts = (number: number) => map(number, string)

export const Nothing = message({})

const Typed = message({ type: int32(1) })
const Capability = message({ typed: nested(1, Typed) })
/** Of a plugin as a whole, of its controller or of its node part: each has a number of its own. */
export const Capabilities = message({ capabilities: repeated(nested(1, Capability)) })

export const capabilities = {
  plugin: { controller: 1, places: 2 },
  controller: { createDelete: 1, publishUnpublish: 2 },
  node: { stageUnstage: 1 },
} as const

const Place = message({ segments: texts(1) })
const Range = message({ requiredBytes: int64(1), limitBytes: int64(2) })
const Mounted = message({ fsType: string(1), mountFlags: repeated(string(2)) })
const Access = message({ mode: int32(1) })
const VolumeCapability = message({ mount: nested(2, Mounted), accessMode: nested(3, Access) })

export const accessModes = { singleWriter: 1, singleReader: 2, multiReader: 3, multiSingleWriter: 4, multiWriter: 5 }

export const CreateVolume = message({
  name: string(1),
  capacityRange: nested(2, Range),
  volumeCapabilities: repeated(nested(3, VolumeCapability)),
  parameters: texts(4),
  secrets: texts(5),
  accessibilityRequirements: nested(
    7,
    message({ requisite: repeated(nested(1, Place)), preferred: repeated(nested(2, Place)) }),
  ),
})
export const CreatedVolume = message({
  volume: nested(
    1,
    message({
      capacityBytes: int64(1),
      volumeId: string(2),
      volumeContext: texts(3),
      accessibleTopology: repeated(nested(5, Place)),
    }),
  ),
})
export const DeleteVolume = message({ volumeId: string(1), secrets: texts(2) })

export const ControllerPublish = message({
  volumeId: string(1),
  nodeId: string(2),
  volumeCapability: nested(3, VolumeCapability),
  secrets: texts(5),
  volumeContext: texts(6),
})
export const ControllerPublished = message({ publishContext: texts(1) })
export const ControllerUnpublish = message({ volumeId: string(1), nodeId: string(2), secrets: texts(3) })

export const NodeStage = message({
  volumeId: string(1),
  publishContext: texts(2),
  stagingTargetPath: string(3),
  volumeCapability: nested(4, VolumeCapability),
  secrets: texts(5),
  volumeContext: texts(6),
})
export const NodeUnstage = message({ volumeId: string(1), stagingTargetPath: string(2) })
export const NodePublish = message({
  volumeId: string(1),
  publishContext: texts(2),
  stagingTargetPath: string(3),
  targetPath: string(4),
  volumeCapability: nested(5, VolumeCapability),
  secrets: texts(7),
  volumeContext: texts(8),
})
export const NodeUnpublish = message({ volumeId: string(1), targetPath: string(2) })
export const NodeInfo = message({
  nodeId: string(1),
  maxVolumesPerNode: int64(2),
  accessibleTopology: nested(3, Place),
})
