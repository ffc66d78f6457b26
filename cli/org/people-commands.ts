import { type Command, Option } from 'commander'
import { asJson, asksFirst, collect, onServer } from './options.ts'

const roles = ['owner', 'member', 'reader']

export function addPeopleCommands(org: Command): void {
  const code = () => import('./people.ts')
  asJson(org.command('users'))
    .description('list the people of the organization')
    .action(async (flags) => (await code()).listUsers(flags))
  onServer(org.command('set-role'))
    .description('say what somebody may do')
    .argument('<user>')
    .argument('<role>', roles.join(', '))
    .action(async (user: string, role: string, flags) => (await code()).setRole(user, role, flags))
  asksFirst(org.command('remove-user'))
    .description('remove somebody from the organization and end all their keys')
    .argument('<user>')
    .action(async (user: string, flags) => (await code()).removeUser(user, flags))
  asJson(org.command('invite'))
    .description('invite somebody, and show the token to join with once')
    .argument('<email>')
    .addOption(new Option('--role <role>', 'what they may do').choices(roles).default('member'))
    .option('--project <project>', 'beside the Default project; may be given again', collect, [])
    .action(async (email: string, flags) => (await code()).invite(email, flags))
  asJson(org.command('invites'))
    .description('list who is invited')
    .action(async (flags) => (await code()).listInvites(flags))
  onServer(org.command('delete-invite'))
    .description('take back an invite that was not accepted')
    .argument('<id>')
    .action(async (id: string, flags) => (await code()).deleteInvite(id, flags))
}
