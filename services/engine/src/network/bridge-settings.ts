// What can be set about the default network.
import { z } from 'zod'
import { parseSubnet } from './address.ts'

export const BridgeSettings = z.strictObject({
  /** The name of its interface on this machine. */
  name: z
    .string()
    .regex(/^[A-Za-z0-9_.-]{1,15}$/)
    .meta({ expects: 'the name of a network interface, as atoll0' })
    .optional(),
  /** `10.88.0.0/16` */
  subnet: z
    .string()
    .refine((text) => parseSubnet(text)?.family === 4)
    .meta({ expects: 'a subnet of IPv4, as 10.88.0.0/16' })
    .optional(),
})

export type BridgeSettings = z.infer<typeof BridgeSettings>
