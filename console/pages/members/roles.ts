export const organizationRoles = { owner: 'owner', member: 'member', reader: 'reader' } as const
export const projectRoles = { owner: 'owner', member: 'member' } as const
