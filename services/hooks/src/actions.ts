// What a hook asks for, once it is understood: the same for the direct endpoints and for mappings.

export type WakeMode = 'now' | 'next-heartbeat'

/** How far what came in may be trusted. It belongs to the way in, never to a name or a key that the sender chose. */
export type Trust =
  /** The operator's own: the periodic heartbeat, the admin interface. */
  | 'operator'
  /** Everything that came through a hook. */
  | 'external'

export const channelKinds = ['email', 'irc', 'mqtt', 'xmpp', 'matrix', 'slack', 'discord', 'telegram'] as const
export type ChannelKind = (typeof channelKinds)[number]

export interface WakeAction {
  kind: 'wake'
  text: string
  mode: WakeMode
}

export interface AgentAction {
  kind: 'agent'
  message: string
  /** Prefix of the summary; external text like the message. */
  name: string
  sessionKey: string
  wakeMode: WakeMode
  deliver: boolean
  channel: 'last' | ChannelKind
  to?: string
  model?: string
  thinking?: string
  timeoutSeconds?: number
}

export type Action = (WakeAction | AgentAction) & {
  /** The mapping says that the safety wrapper is to be left away. */
  allowUnsafeExternalContent?: boolean
  /** Id of the mapping; absent for the direct endpoints. */
  mapping?: string
  /** Its sender is one of those whose recipients become where “last” leads. */
  setsRoute?: true
}
