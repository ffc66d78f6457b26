// What nodes say to one another. A manager believes nothing that it has not checked; a worker believes its managers.
import { z } from 'zod'
import type { LogsQuery } from '../../resources/containers/logs/logs-query.ts'
import { Node } from '../../resources/nodes/schema.ts'
import { TaskState, TaskStatus } from '../../resources/tasks/schema.ts'
import { CsiNodes, type NodeVolume } from '../volumes/node-volume.ts'
import type { NetworkMesh, ServiceMesh } from './mesh.ts'
import type { WireAssignment } from './wire-assignment.ts'

/** What somebody without a certificate may send, and somebody with one. */
export const maxStrangerBytes = 64 * 1024
export const maxWorkerBytes = 1024 * 1024
export const maxManagerBytes = 256 * 1024 * 1024

const maxLetters = 4_096
const short = z.string().max(maxLetters)

const KeyToCertify = z.object({ publicKey: short, proof: short })
const Description = Node.shape.Description.omit({ TLSInfo: true })

/** Of WireGuard, in base64. */
const TunnelKey = z
  .string()
  .regex(/^[\w+/]{43}=$/)
  .optional()

/** The first message on a connection to a manager. */
export const Opening = z.discriminatedUnion('ask', [
  /** PEM of the authority: whoever asks has its digest in the token. */
  z.object({ ask: z.literal('authority') }),
  z.object({
    ...{ ask: z.literal('join'), secret: short, key: KeyToCertify, availability: short, description: Description },
    /** Where others reach it, should it become a manager: `10.0.0.2:2377`. */
    advertise: short,
    /** Where the swarm may be kept outside; absent from engines of before. */
    knowsOutside: z.boolean().optional(),
  }),
  /** With a certificate, from here on: another one, for what the node is to be now. */
  z.object({ ask: z.literal('certify'), key: KeyToCertify, advertise: short }),
  /** From a manager: its store becomes one of the swarm's. */
  z.object({ ask: z.literal('member'), advertise: short }),
  /** From a manager: it reads logs. */
  z.object({ ask: z.literal('relay') }),
  z.object({
    ask: z.literal('session'),
    description: Description,
    address: short,
    dataPath: short,
    tunnelKey: TunnelKey,
  }),
])
export type Opening = z.output<typeof Opening>

export const CertifyAnswer = z.object({
  certificate: z.string(),
  managers: z.array(z.string()),
  /** What managers need to read what is kept; in base64. */
  manager: z
    .object({ swarmKey: z.string(), unlockKey: z.string().optional(), isOutside: z.literal(true).optional() })
    .optional(),
})
export type CertifyAnswer = z.output<typeof CertifyAnswer>
export const JoinAnswer = CertifyAnswer.extend({ nodeId: z.string(), clusterId: z.string() })
export type JoinAnswer = z.output<typeof JoinAnswer>
export const MemberAnswer = z.object({ members: z.array(z.object({ name: z.string(), peerUrl: z.string() })) })
export type MemberAnswer = z.output<typeof MemberAnswer>
export const AuthorityAnswer = z.object({ authority: z.string() })
/** Instead of any other answer; the connection ends with it. */
export const Refusal = z.object({
  refused: z.string(),
  isFinal: z.boolean(),
  /** Where the manager is that may answer. */
  leader: z.string().optional(),
})

const TaskReport = z.object({
  State: TaskState,
  Message: short,
  Err: z.string().max(maxLetters).optional(),
  ContainerStatus: TaskStatus.shape.ContainerStatus,
  PortStatus: TaskStatus.shape.PortStatus.optional(),
})

/** A container that was put on a network of the swarm by hand. */
const Guest = z.object({
  container: z.string().regex(/^[0-9a-f]{64}$/),
  name: short,
  network: short,
  address: short,
})
const maxGuests = 4_000

/** In a session. */
export const FromWorker = z.discriminatedUnion('is', [
  z.object({ is: z.literal('beat') }),
  z.object({ is: z.literal('report'), taskId: short, report: TaskReport }),
  z.object({ is: z.literal('renew'), key: KeyToCertify }),
  /** The authority that it trusts from now on, which it remembers: by its digest. */
  z.object({ is: z.literal('trusts'), digest: short }),
  z.object({ is: z.literal('leave') }),
  /** An address for a container on a network, by its name or id; the same one when it is asked for again. */
  z.object({ is: z.literal('attach'), id: short, ...Guest.shape, address: short.optional() }),
  z.object({ is: z.literal('detach'), container: short, network: short }),
  /** All that were given, at the beginning of a session: others are free again. */
  z.object({ is: z.literal('attachments'), all: z.array(Guest).max(maxGuests) }),
  /** What its CSI plugins say of it; from then on it is told of its volumes. */
  z.object({ is: z.literal('csi'), nodes: CsiNodes }),
  /** It has let go of a volume. */
  z.object({ is: z.literal('unpublished'), id: short }),
  /** A piece of a log in base64; the next is sent when more is wanted. */
  z.object({
    is: z.literal('logs'),
    id: short,
    piece: z.string().optional(),
    isOver: z.boolean(),
    problem: short.optional(),
  }),
])
export type FromWorker = z.output<typeof FromWorker>

export type FromManager =
  /** Answers each heartbeat, and comes first of all. */
  | {
      is: 'beat'
      periodMs: number
      managers: string[] /** Older ones do not. */
      takesGuests?: boolean
      takesVolumes?: boolean
    }
  /** Every task of the node: what is not among them is not the node's. */
  | { is: 'all'; assignments: WireAssignment[] }
  | { is: 'task'; assignment: WireAssignment }
  | { is: 'gone'; taskId: string }
  /** A report is written down, or was not new. */
  | { is: 'reported'; taskId: string; state: TaskState }
  | { is: 'renewed'; certificate: string }
  /** Whom to trust (PEM), and the public key of the one whose certificate the node is to have. */
  | { is: 'authority'; authority: string; issuer: string }
  /** The node is to be a manager. */
  | { is: 'promoted' }
  /** What is needed to reach tasks of other nodes. */
  | { is: 'network'; mesh: NetworkMesh }
  | { is: 'networkGone'; id: string }
  /** All that the node is on, after they were told one by one. */
  | { is: 'networks'; ids: string[] }
  | { is: 'service'; mesh: ServiceMesh }
  | { is: 'serviceGone'; id: string }
  | { is: 'peers'; addresses: string[] }
  /** All volumes of the cluster that it is to have, or to let go of. */
  | { is: 'volumes'; all: NodeVolume[] }
  | { is: 'volume'; volume: NodeVolume }
  | { is: 'volumeGone'; id: string }
  | { is: 'attached'; id: string; container: string; network: string; address: string }
  | { is: 'notAttached'; id: string; status: number; problem: string }
  /** What a task has said, as a container's log is read. */
  | { is: 'logs'; id: string; taskId: string; query: LogsQuery }
  | { is: 'logsMore'; id: string }
  | { is: 'logsStop'; id: string }
