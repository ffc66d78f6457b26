import { describe, expect, it } from 'vitest'
import { resolveUser } from './users.ts'

const files = {
  passwd:
    'root:x:0:0:root:/root:/bin/sh\nann:x:1000:1000::/home/ann:/bin/sh\n# no user\n7:x:70:70::/seven:/bin/sh\nbroken\n',
  group: 'root:x:0:\nwheel:x:10:root,ann\naudio:x:29:ann\nstaff:x:50:\n',
}

describe('users of a container', () => {
  it.each([
    ['', { uid: 0, gid: 0, additionalGids: [0, 10], home: '/root' }],
    ['ann', { uid: 1000, gid: 1000, additionalGids: [1000, 10, 29], home: '/home/ann' }],
    ['1000', { uid: 1000, gid: 1000, additionalGids: [1000, 10, 29], home: '/home/ann' }],
    ['ann:staff', { uid: 1000, gid: 50, additionalGids: [50], home: '/home/ann' }],
    ['1234:5678', { uid: 1234, gid: 5678, additionalGids: [5678], home: '/' }],
    ['1234', { uid: 1234, gid: 0, additionalGids: [0], home: '/' }],
    ['7', { uid: 70, gid: 70, additionalGids: [70], home: '/seven' }],
  ])('%s', (user, expected) => {
    expect(resolveUser(user, [], files)).toEqual(expected)
  })

  it('have the groups that are added, by name or number', () => {
    expect(resolveUser('1234', ['staff', '4000'], files).additionalGids).toEqual([0, 50, 4000])
    expect(() => resolveUser('', ['nobodys'], files)).toThrow('Unable to find group nobodys')
  })

  it.each([
    ['bob', 'unable to find user bob: no matching entries in passwd file'],
    ['ann:none', 'Unable to find group none'],
    ['99999999999', 'uids and gids must be in range'],
    ['a:b:c', "invalid user 'a:b:c'"],
  ])('%s is refused', (user, message) => {
    expect(() => resolveUser(user, [], files)).toThrow(message)
  })

  it('are known without any file', () => {
    expect(resolveUser('', [], { passwd: '', group: '' })).toEqual({
      uid: 0,
      gid: 0,
      additionalGids: [0],
      home: '/root',
    })
  })
})
