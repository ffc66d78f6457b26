// What can be set about the gateway: the sections `hooks`, `agents` and `channels` of the configuration.
import { z } from 'zod'
import { AgentsConfig } from './agent/config.ts'
import { ChannelsConfig } from './channels/config.ts'
import { IngressConfig } from './ingress/config.ts'
import { MappingsConfig } from './mappings/config.ts'

export const HooksConfig = z.strictObject({ ...IngressConfig.shape, ...MappingsConfig.shape })
export type HooksConfig = z.output<typeof HooksConfig>
export { AgentsConfig, ChannelsConfig }
