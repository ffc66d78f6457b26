import { pageQuery } from '@atoll/kernel/http/query'

/** The query of every list of administration. AST-200, AST-201 */
export const AdminPage = pageQuery({ maxLimit: 100, defaultLimit: 20 })
