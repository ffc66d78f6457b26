// Services as requests describe them, in today's version.
import { z } from 'zod'
import { HealthConfig, Mount, Ulimit } from '../containers/schema.ts'
import { Driver, ObjectVersion } from '../swarm/schema.ts'

const whole = z.number().int()
const maybe = <T extends z.ZodType>(schema: T) => schema.nullish().transform((value) => value ?? undefined)
const texts = z.array(z.string())
const labels = z.record(z.string(), z.string())

const FileTarget = z.object({
  Name: maybe(z.string()),
  UID: maybe(z.string()),
  GID: maybe(z.string()),
  Mode: maybe(whole),
})

const Privileges = z.object({
  CredentialSpec: maybe(z.object({ Config: maybe(z.string()), File: maybe(z.string()), Registry: maybe(z.string()) })),
  SELinuxContext: maybe(
    z.object({
      Disable: maybe(z.boolean()),
      User: maybe(z.string()),
      Role: maybe(z.string()),
      Type: maybe(z.string()),
      Level: maybe(z.string()),
    }),
  ),
  Seccomp: maybe(z.object({ Mode: maybe(z.string()), Profile: maybe(z.string()) })),
  AppArmor: maybe(z.object({ Mode: maybe(z.string()) })),
  NoNewPrivileges: maybe(z.boolean()),
})

export const ContainerSpec = z.object({
  Image: maybe(z.string()),
  Labels: maybe(labels),
  Command: maybe(texts),
  Args: maybe(texts),
  Hostname: maybe(z.string()),
  Env: maybe(texts),
  Dir: maybe(z.string()),
  User: maybe(z.string()),
  Groups: maybe(texts),
  Privileges: maybe(Privileges),
  Init: maybe(z.boolean()),
  StopSignal: maybe(z.string()),
  TTY: maybe(z.boolean()),
  OpenStdin: maybe(z.boolean()),
  ReadOnly: maybe(z.boolean()),
  Mounts: maybe(z.array(Mount)),
  StopGracePeriod: maybe(whole),
  Healthcheck: maybe(HealthConfig),
  Hosts: maybe(texts),
  DNSConfig: maybe(z.object({ Nameservers: maybe(texts), Search: maybe(texts), Options: maybe(texts) })),
  Secrets: maybe(
    z.array(z.object({ File: maybe(FileTarget), SecretID: maybe(z.string()), SecretName: maybe(z.string()) })),
  ),
  Configs: maybe(
    z.array(
      z.object({
        File: maybe(FileTarget),
        Runtime: maybe(z.object({})),
        ConfigID: maybe(z.string()),
        ConfigName: maybe(z.string()),
      }),
    ),
  ),
  Isolation: maybe(z.string()),
  Sysctls: maybe(labels),
  CapabilityAdd: maybe(texts),
  CapabilityDrop: maybe(texts),
  /** Other names of the two above (ENG-522 to ENG-527). */
  CapAdd: maybe(texts),
  CapDrop: maybe(texts),
  Ulimits: maybe(z.array(Ulimit)),
  OomScoreAdj: maybe(whole),
})
export type ContainerSpec = z.output<typeof ContainerSpec>

export const GenericResource = z.object({
  NamedResourceSpec: maybe(z.object({ Kind: maybe(z.string()), Value: maybe(z.string()) })),
  DiscreteResourceSpec: maybe(z.object({ Kind: maybe(z.string()), Value: maybe(whole) })),
})
export type GenericResource = Partial<z.output<typeof GenericResource>>

const Resources = z.object({
  NanoCPUs: maybe(whole),
  MemoryBytes: maybe(whole),
  Pids: maybe(whole),
  GenericResources: maybe(z.array(GenericResource)),
})

export const NetworkAttachment = z.object({
  Target: maybe(z.string()),
  Aliases: maybe(texts),
  DriverOpts: maybe(labels),
})
export type NetworkAttachment = z.output<typeof NetworkAttachment>

const PluginSpec = z.object({
  Name: maybe(z.string()),
  Remote: maybe(z.string()),
  Disabled: maybe(z.boolean()),
  PluginPrivilege: maybe(
    z.array(z.object({ Name: maybe(z.string()), Description: maybe(z.string()), Value: maybe(texts) })),
  ),
})

export const Placement = z.object({
  Constraints: maybe(texts),
  Preferences: maybe(z.array(z.object({ Spread: maybe(z.object({ SpreadDescriptor: maybe(z.string()) })) }))),
  MaxReplicas: maybe(whole),
  Platforms: maybe(z.array(z.object({ Architecture: maybe(z.string()), OS: maybe(z.string()) }))),
})
export type Placement = z.output<typeof Placement>

export const TaskSpec = z.object({
  PluginSpec: maybe(PluginSpec),
  ContainerSpec: maybe(ContainerSpec),
  NetworkAttachmentSpec: maybe(z.object({ ContainerID: maybe(z.string()) })),
  Resources: maybe(z.object({ Limits: maybe(Resources), Reservations: maybe(Resources) })),
  RestartPolicy: maybe(
    z.object({
      Condition: maybe(z.string()),
      Delay: maybe(whole),
      MaxAttempts: maybe(whole),
      Window: maybe(whole),
    }),
  ),
  Placement: maybe(Placement),
  ForceUpdate: whole.nullish().transform((value) => value ?? 0),
  Runtime: maybe(z.string()),
  Networks: maybe(z.array(NetworkAttachment)),
  LogDriver: maybe(Driver),
})
export type TaskSpec = z.output<typeof TaskSpec>

export const UpdateConfig = z.object({
  Parallelism: maybe(whole),
  Delay: maybe(whole),
  FailureAction: maybe(z.string()),
  Monitor: maybe(whole),
  MaxFailureRatio: maybe(z.number()),
  /** Another name of the one above (ENG-565). */
  MonitorMaxFailureRatio: maybe(z.number()),
  Order: maybe(z.string()),
})
export type UpdateConfig = z.output<typeof UpdateConfig>

export const PortConfig = z.object({
  Name: maybe(z.string()),
  Protocol: maybe(z.string()),
  TargetPort: maybe(whole),
  PublishedPort: maybe(whole),
  PublishMode: maybe(z.string()),
})
export type PortConfig = z.output<typeof PortConfig>

export const EndpointSpec = z.object({ Mode: maybe(z.string()), Ports: maybe(z.array(PortConfig)) })

export const ServiceMode = z.object({
  Replicated: maybe(z.object({ Replicas: maybe(whole) })),
  Global: maybe(z.object({})),
  ReplicatedJob: maybe(z.object({ MaxConcurrent: maybe(whole), TotalCompletions: maybe(whole) })),
  GlobalJob: maybe(z.object({})),
})

export const ServiceSpec = z.object({
  Name: maybe(z.string()),
  Labels: maybe(labels),
  TaskTemplate: maybe(TaskSpec),
  Mode: maybe(ServiceMode),
  UpdateConfig: maybe(UpdateConfig),
  RollbackConfig: maybe(UpdateConfig),
  Networks: maybe(z.array(NetworkAttachment)),
  EndpointSpec: maybe(EndpointSpec),
})
export type ServiceSpec = z.output<typeof ServiceSpec>

const VirtualIP = z.object({ NetworkID: z.string(), Addr: z.string() })

export const Service = z.object({
  ID: z.string(),
  Version: ObjectVersion,
  CreatedAt: z.string(),
  UpdatedAt: z.string(),
  Spec: ServiceSpec,
  PreviousSpec: ServiceSpec.optional(),
  Endpoint: z.object({
    Spec: EndpointSpec.optional(),
    Ports: z.array(PortConfig).optional(),
    VirtualIPs: z.array(VirtualIP).optional(),
  }),
  UpdateStatus: z
    .object({
      State: z.string(),
      StartedAt: z.string().optional(),
      CompletedAt: z.string().optional(),
      Message: z.string(),
    })
    .optional(),
  ServiceStatus: z.object({ RunningTasks: whole, DesiredTasks: whole, CompletedTasks: whole }).optional(),
  JobStatus: z.object({ JobIteration: ObjectVersion, LastExecution: z.string() }).optional(),
})
export type Service = z.output<typeof Service>

export const ServiceId = z.object({ id: z.string() })
export const ServiceCreated = z.object({ ID: z.string(), Warnings: texts.nullable() })
export const ServiceUpdated = z.object({ Warnings: texts.nullable() })
