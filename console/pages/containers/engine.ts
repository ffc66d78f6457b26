// What the pages read of the engine's objects.

export interface ContainerSummary {
  Id: string
  Names: string[]
  Image: string
  Command: string
  Created: number
  State: string
  Status: string
  Ports: { PrivatePort: number; PublicPort?: number; Type: string }[]
}

export interface ContainerDetail {
  Id: string
  Name: string
  Created: string
  Path: string
  Args: string[]
  State: { Status: string; Running: boolean; ExitCode: number; StartedAt: string; FinishedAt: string }
  Config: { Image: string; Tty: boolean; Env: string[] | null; Labels: Record<string, string> | null }
  HostConfig: { Memory: number; NanoCpus: number; RestartPolicy: { Name: string } }
  Mounts: { Type: string; Name?: string; Source: string; Destination: string; RW: boolean }[]
  NetworkSettings: { Networks: Record<string, { IPAddress: string }> }
}

export interface ImageSummary {
  Id: string
  RepoTags: string[] | null
  Created: number
  Size: number
  Containers: number
}

export interface NetworkSummary {
  Id: string
  Name: string
  Driver: string
  Scope: string
  IPAM: { Config: { Subnet?: string }[] | null }
}

export interface VolumeSummary {
  Name: string
  Driver: string
  Mountpoint: string
  CreatedAt?: string
}

export interface EngineEvent {
  Type: string
  Action: string
  Actor: { ID: string; Attributes: Record<string, string> }
  time: number
  timeNano?: number
}

export const nameOf = ({ Names, Id }: Pick<ContainerSummary, 'Names' | 'Id'>): string =>
  Names[0]?.replace(/^\//, '') ?? shortId(Id)

export const shortId = (id: string): string => id.replace(/^sha256:/, '').slice(0, 12)

export const at = (id: string, rest = ''): string => `/containers/${encodeURIComponent(id)}${rest}`
