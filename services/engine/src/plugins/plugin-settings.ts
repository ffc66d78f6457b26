// What users can set about a plugin: `DEBUG=1`, `sshkey.source=/root/.ssh`, `args=-v`. Its configuration says what.
import { invalidParameter } from '../errors.ts'
import type { PluginConfig, PluginSettings } from '../resources/plugins/schema.ts'
import { deviceProblems, mountProblems } from './plugin-config.ts'

export const initialSettings = ({ Mounts, Env, Args, Linux }: PluginConfig): PluginSettings => ({
  Mounts: Mounts.map((mount) => ({ ...mount })),
  Env: Env.flatMap(({ Name, Value }) => (Value === null ? [] : [`${Name}=${Value}`])),
  Args: [...Args.Value],
  Devices: Linux.Devices.map((device) => ({ ...device })),
})

const form = /^([^.=]+)(?:\.([^=]+))?=(.*)$/s
const maxValueLetters = 4_096

interface Wanted {
  name: string
  /** Absent: whichever can be set. */
  field: string | undefined
  value: string
}

/** Throws for what cannot be set; the others are as they were. */
export function withSettings(config: PluginConfig, settings: PluginSettings, asked: readonly string[]): PluginSettings {
  return asked.reduce((before, text) => withSetting(config, before, readSetting(text)), settings)
}

function readSetting(text: string): Wanted {
  const [, name, field, value = ''] = form.exec(text) ?? []
  if (name === undefined || value.length > maxValueLetters || value.includes('\0')) {
    throw invalidParameter(`invalid setting "${text.slice(0, 200)}": write NAME=VALUE or NAME.FIELD=VALUE`)
  }
  return { name, field, value }
}

function withSetting(config: PluginConfig, settings: PluginSettings, wanted: Wanted): PluginSettings {
  const { name, value } = wanted
  const variable = config.Env.find(({ Name }) => Name === name)
  if (variable !== undefined) {
    requireSettable(variable.Settable, 'value', wanted)
    const others = settings.Env.filter((each) => !each.startsWith(`${name}=`))
    return { ...settings, Env: [...others, `${name}=${value}`] }
  }
  if (settings.Mounts.some(({ Name }) => Name === name)) {
    const Mounts = settings.Mounts.map((mount) => {
      if (mount.Name !== name) return mount
      requireSettable(mount.Settable, 'source', wanted)
      return checked({ ...mount, Source: value }, mountProblems)
    })
    return { ...settings, Mounts }
  }
  if (settings.Devices.some(({ Name }) => Name === name)) {
    const Devices = settings.Devices.map((device) => {
      if (device.Name !== name) return device
      requireSettable(device.Settable, 'path', wanted)
      return checked({ ...device, Path: value }, deviceProblems)
    })
    return { ...settings, Devices }
  }
  if (config.Args.Name === name) {
    requireSettable(config.Args.Settable, 'value', wanted)
    return { ...settings, Args: value.split(' ').filter(Boolean) }
  }
  throw invalidParameter(`setting "${name}" not found in the plugin configuration`)
}

function requireSettable(settable: readonly string[], possible: string, { name, field = possible }: Wanted): void {
  if (field !== possible || !settable.includes(field)) throw invalidParameter(`"${name}.${field}" is not settable`)
}

function checked<T>(changed: T, problems: (value: T) => string[]): T {
  const [problem] = problems(changed)
  if (problem !== undefined) throw invalidParameter(problem)
  return changed
}
