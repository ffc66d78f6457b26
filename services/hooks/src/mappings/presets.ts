// Mappings that come with the gateway, for hooks.presets to name (HOOK-007, HOOK-080).
import type { MappingConfig, PresetName } from './config.ts'
import { readGmail } from './envelopes.ts'

export interface Preset extends MappingConfig {
  /** What its templates are filled from. Null: there is nothing to start. */
  read: (payload: Record<string, unknown>) => Record<string, unknown> | null
}

/** Mail: `{messages: [{id, from, subject, snippet, body}]}` (HOOK-079), or what Gmail pushes through Pub/Sub. */
const gmail: Preset = {
  id: 'gmail',
  match: { path: 'gmail' },
  action: 'agent',
  wakeMode: 'now',
  name: 'Gmail',
  sessionKey: 'hook:gmail:{{id}}',
  messageTemplate: '{{text}}',
  read: readGmail,
}

export const presets: Readonly<Record<PresetName, Preset>> = { gmail }
