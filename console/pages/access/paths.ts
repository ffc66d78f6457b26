const of = (project: string, what: string): string => `/v1/organization/projects/${project}/${what}`

export const membersPath = (project: string): string => of(project, 'users')
export const accountsPath = (project: string): string => of(project, 'service_accounts')
export const limitsPath = (project: string): string => of(project, 'rate_limits')
