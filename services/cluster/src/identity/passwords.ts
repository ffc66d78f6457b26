// Passwords as they are kept: scrypt with a salt of their own. Slow on purpose.
import { randomBytes, scrypt, timingSafeEqual } from 'node:crypto'
import * as errors from '../errors.ts'

export interface PasswordCost {
  N: number
  r: number
  p: number
}

/** 32 MiB and about a tenth of a second for each guess. */
export const strongCost: PasswordCost = { N: 2 ** 15, r: 8, p: 1 }
const maxMemoryBytes = 128 * 1024 * 1024
const hashBytes = 32
const saltBytes = 16
const minLength = 8
const maxLength = 128

export function checkPassword(password: string): void {
  if (password.length < minLength || password.length > maxLength) {
    throw errors.passwordNotComplex(`A password has ${minLength} to ${maxLength} characters.`)
  }
  if (new Set(password).size < 3) throw errors.passwordNotComplex('A password has at least 3 different characters.')
}

/** `scrypt$N$r$p$salt$hash` */
export async function hashPassword(password: string, cost = strongCost): Promise<string> {
  const salt = randomBytes(saltBytes)
  const hash = await derive(password, salt, cost)
  return ['scrypt', cost.N, cost.r, cost.p, salt.toString('base64'), hash.toString('base64')].join('$')
}

export async function isPassword(password: string, kept: string): Promise<boolean> {
  const [kind, N, r, p, salt = '', hash = ''] = kept.split('$')
  if (kind !== 'scrypt') throw new Error('A password is kept in a way that this version does not know.')
  const expected = Buffer.from(hash, 'base64')
  const found = await derive(password, Buffer.from(salt, 'base64'), { N: Number(N), r: Number(r), p: Number(p) })
  return expected.length === found.length && timingSafeEqual(expected, found)
}

function derive(password: string, salt: Buffer, cost: PasswordCost): Promise<Buffer> {
  const { promise, resolve, reject } = Promise.withResolvers<Buffer>()
  const text = password.normalize('NFKC')
  scrypt(text, salt, hashBytes, { ...cost, maxmem: maxMemoryBytes }, (error, hash) => {
    if (error) reject(error)
    else resolve(hash)
  })
  return promise
}
