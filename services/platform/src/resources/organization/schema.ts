// What the objects of an organization have in common.
import { z } from 'zod'

export const OrganizationRole = z.enum(['owner', 'member', 'reader']) // AST-202
export const ProjectRole = z.enum(['owner', 'member']) // AST-202

export const Name = z.string().min(1).max(256)

export const deletedObject = <Type extends string>(object: Type) =>
  z.object({ object: z.literal(object), id: z.string(), deleted: z.literal(true) })
