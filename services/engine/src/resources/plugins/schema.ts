import { z } from 'zod'

const maxItems = 256
const maxLetters = 4_096

const text = z.string().max(maxLetters).default('')
const texts = z.array(z.string().max(maxLetters)).max(maxItems).default([])
/** May be left open, for whoever installs the plugin to fill in. */
const openText = z.string().max(maxLetters).nullable().default(null)
const described = { Name: text, Description: text, Settable: texts }

export const PluginMount = z.object({
  ...described,
  Source: openText,
  Destination: text,
  Type: text,
  Options: texts,
})
export const PluginDevice = z.object({ ...described, Path: openText })
const PluginEnv = z.object({ ...described, Value: openText })

export const PluginConfig = z.object({
  DockerVersion: text,
  Description: text,
  Documentation: text,
  Interface: z.object({ Types: texts, Socket: text, ProtocolScheme: text }).prefault({}),
  Entrypoint: texts,
  WorkDir: text,
  User: z
    .object({ UID: z.int().min(0).max(4_294_967_294).default(0), GID: z.int().min(0).max(4_294_967_294).default(0) })
    .prefault({}),
  Network: z.object({ Type: text }).prefault({}),
  Linux: z
    .object({
      Capabilities: texts,
      AllowAllDevices: z.boolean().default(false),
      Devices: z.array(PluginDevice).max(maxItems).default([]),
    })
    .prefault({}),
  PropagatedMount: text,
  IpcHost: z.boolean().default(false),
  PidHost: z.boolean().default(false),
  Mounts: z.array(PluginMount).max(maxItems).default([]),
  Env: z.array(PluginEnv).max(maxItems).default([]),
  Args: z.object({ ...described, Value: texts }).prefault({}),
  rootfs: z.object({ type: text, diff_ids: texts }).optional(),
})
export type PluginConfig = z.output<typeof PluginConfig>
export type PluginMount = z.output<typeof PluginMount>
export type PluginDevice = z.output<typeof PluginDevice>

export const PluginSettings = z.object({
  Mounts: z.array(PluginMount),
  Env: z.array(z.string()),
  Args: z.array(z.string()),
  Devices: z.array(PluginDevice),
})
export type PluginSettings = z.output<typeof PluginSettings>

/** What its user has to agree to. */
export const PluginPrivilege = z.object({
  Name: z.string().max(256).default(''),
  Description: text,
  Value: z.array(z.string().max(maxLetters)).max(1_024).default([]),
})
export type PluginPrivilege = z.output<typeof PluginPrivilege>

export const PluginName = z.object({ name: z.string() })

export const PluginObject = z.object({
  Id: z.string(),
  Name: z.string(),
  Enabled: z.boolean(),
  Settings: PluginSettings,
  PluginReference: z.string(),
  Config: PluginConfig,
})
export type PluginObject = z.output<typeof PluginObject>

export const PluginChanges = z.array(z.string().max(8_192)).max(1_000)
