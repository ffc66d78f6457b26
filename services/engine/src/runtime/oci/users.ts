// Who a process runs as: `user`, `uid`, `user:group`, `uid:gid`, by the image's own /etc/passwd and /etc/group.
import { invalidParameter } from '../../errors.ts'

/** The text of both files; empty when an image has none. */
export interface IdentityFiles {
  passwd: string
  group: string
}

export interface ResolvedUser {
  uid: number
  gid: number
  additionalGids: number[]
  home: string
}

interface PasswdEntry {
  name: string
  uid: number
  gid: number
  home: string
}

interface GroupEntry {
  name: string
  gid: number
  members: string[]
}

const maxId = 2 ** 31 - 1

const rows = (text: string): string[][] =>
  text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((line) => line.split(':'))

const idOf = (text: string | undefined): number | undefined =>
  text !== undefined && /^\d{1,10}$/.test(text) && Number(text) <= maxId ? Number(text) : undefined

function readPasswd(text: string): PasswdEntry[] {
  return rows(text).flatMap(([name = '', , uid, gid, , home = '']) => {
    const ids = [idOf(uid), idOf(gid)] as const
    return ids[0] === undefined || ids[1] === undefined ? [] : [{ name, uid: ids[0], gid: ids[1], home }]
  })
}

function readGroups(text: string): GroupEntry[] {
  return rows(text).flatMap(([name = '', , id, members = '']) => {
    const gid = idOf(id)
    return gid === undefined ? [] : [{ name, gid, members: members.split(',').filter(Boolean) }]
  })
}

/** `added` are the groups of HostConfig.GroupAdd. */
export function resolveUser(user: string, added: readonly string[], files: IdentityFiles): ResolvedUser {
  const [userPart = '', groupPart = '', ...rest] = user.split(':')
  if (rest.length > 0) throw invalidParameter(`invalid user '${user}': expected user, uid, user:group or uid:gid`)
  const groups = readGroups(files.group)
  const entry = findUser(userPart === '' ? '0' : userPart, files.passwd)
  const gid = groupPart === '' ? entry.gid : findGroup(groupPart, groups)
  const memberOf =
    groupPart === '' && entry.name !== '' ? groups.filter(({ members }) => members.includes(entry.name)) : []
  // CVE-2022-36109: without the primary group among them, a program that changes its group could not go back, and would
  // be let in where its group is shut out.
  const gids = [gid, ...memberOf.map((group) => group.gid), ...added.map((name) => findGroup(name, groups))]
  return { uid: entry.uid, gid, additionalGids: [...new Set(gids)], home: entry.home || '/' }
}

/** A name goes before a number: a user may be called 1000. */
function findUser(user: string, passwd: string): PasswdEntry {
  const entries = readPasswd(passwd)
  const uid = idOf(user)
  const found = entries.find(({ name }) => name === user) ?? entries.find((entry) => entry.uid === uid)
  if (found !== undefined) return found
  if (uid !== undefined) return { name: '', uid, gid: 0, home: uid === 0 ? '/root' : '/' }
  if (/^-?\d+$/.test(user)) throw invalidParameter(`uids and gids must be in range 0-${maxId}`)
  throw invalidParameter(`unable to find user ${user}: no matching entries in passwd file`)
}

function findGroup(group: string, groups: readonly GroupEntry[]): number {
  const named = groups.find(({ name }) => name === group)
  if (named !== undefined) return named.gid
  const gid = idOf(group)
  if (gid !== undefined) return gid
  if (/^-?\d+$/.test(group)) throw invalidParameter(`uids and gids must be in range 0-${maxId}`)
  throw invalidParameter(`Unable to find group ${group}: no matching entries in group file`)
}
