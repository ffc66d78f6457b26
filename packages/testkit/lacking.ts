// Tests that need a program are skipped where it is missing, and say so.
import { findProgram } from '@atoll/kernel/programs/find-program'

const systemFolders = ['/usr/sbin', '/sbin']

/** Those of the programs that are not there, for the name of what is skipped; empty when all are. */
export const lacking = (...programs: string[]): string =>
  programs.filter((name) => findProgram(name, systemFolders) === undefined).join(', ')
