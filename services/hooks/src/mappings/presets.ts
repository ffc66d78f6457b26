// Mappings that come with the gateway, for hooks.presets to name (HOOK-007, HOOK-080).
import type { MappingConfig, PresetName } from './config.ts'

const mailMessage = `A new email has come.
From: {{messages[0].from}}
Subject: {{messages[0].subject}}
{{messages[0].snippet}}
{{messages[0].body}}`

/** Mail notifications: `{source, messages: [{id, from, subject, snippet, body}]}` (HOOK-079). */
const gmail: MappingConfig = {
  id: 'gmail',
  match: { path: 'gmail' },
  action: 'agent',
  wakeMode: 'now',
  name: 'Gmail',
  sessionKey: 'hook:gmail:{{messages[0].id}}',
  messageTemplate: mailMessage,
}

export const presets: Readonly<Record<PresetName, MappingConfig>> = { gmail }
