# A whole OpenStack Swift with its S3 interface in one process, for tests: account, container, object and proxy servers
# on loopback, one copy of everything in a folder. Prints its port, and ends with its standard input.
import os
import shutil
import sys

import eventlet

eventlet.monkey_patch()
# Nothing here outlives the tests.
os.fsync = os.fdatasync = lambda descriptor: None

from eventlet import tpool, wsgi  # noqa: E402
from swift.common import utils  # noqa: E402

folder = sys.argv[1]
user, secret, root_secret = sys.argv[2:5]


def write(name, text):
    path = os.path.join(folder, name)
    with open(path, 'w') as file:
        file.write(text)
    return path


utils.SWIFT_CONF_FILE = write('swift.conf', '[swift-hash]\nswift_hash_path_suffix = tests\n')

from array import array  # noqa: E402
from swift.common.ring import RingData  # noqa: E402
from swift.common.wsgi import SwiftHttpProtocol, loadapp  # noqa: E402

os.makedirs(os.path.join(folder, 'devices', 'disk'), exist_ok=True)
os.chdir(folder)  # rings are saved by way of the working folder
sockets = {name: eventlet.listen(('127.0.0.1', 0)) for name in ('account', 'container', 'object', 'proxy')}

defaults = """[DEFAULT]
swift_dir = {folder}
devices = {folder}/devices
mount_check = false
fallocate_reserve = 0
disable_fallocate = true
log_level = WARNING
workers = 0
"""

for name in ('account', 'container', 'object'):
    port = sockets[name].getsockname()[1]
    device = {'id': 0, 'zone': 0, 'device': 'disk', 'ip': '127.0.0.1', 'port': port, 'weight': 1,
              'replication_ip': '127.0.0.1', 'replication_port': port}
    RingData([array('H', [0])], [device], 32).save(name + '.ring.gz')
    write(name + '.conf', defaults.format(folder=folder) + """
[pipeline:main]
pipeline = {name}-server
[app:{name}-server]
use = egg:swift#{name}
""".format(name=name))

write('proxy.conf', defaults.format(folder=folder) + """
[pipeline:main]
pipeline = catch_errors gatekeeper s3api tempauth bulk copy slo keymaster encryption proxy-server
[app:proxy-server]
use = egg:swift#proxy
account_autocreate = true
allow_account_management = true
[filter:catch_errors]
use = egg:swift#catch_errors
[filter:gatekeeper]
use = egg:swift#gatekeeper
[filter:s3api]
use = egg:swift#s3api
s3_acl = false
check_bucket_owner = false
max_upload_part_num = 10000
min_segment_size = 65536
[filter:tempauth]
use = egg:swift#tempauth
user_test_{user} = {secret} .admin
[filter:bulk]
use = egg:swift#bulk
[filter:copy]
use = egg:swift#copy
[filter:slo]
use = egg:swift#slo
[filter:keymaster]
use = egg:swift#keymaster
encryption_root_secret = {root_secret}
[filter:encryption]
use = egg:swift#encryption
""".format(user=user, secret=secret, root_secret=root_secret))


class NoCache:
    # Swift insists on a cache; one that never has anything is always right.
    def __getattr__(self, name):
        return lambda *args, **kwargs: None


def with_cache(app):
    def handle(env, start_response):
        env['swift.cache'] = NoCache()
        return app(env, start_response)
    return handle


utils.validate_configuration()
log = utils.NullLogger()
for name in ('account', 'container', 'object', 'proxy'):
    app = loadapp(os.path.join(folder, name + '.conf'), global_conf={'log_name': name})
    eventlet.spawn(wsgi.server, sockets[name], with_cache(app), log, protocol=SwiftHttpProtocol, keepalive=True)

print(sockets['proxy'].getsockname()[1], flush=True)
while tpool.execute(os.read, 0, 1):
    pass
shutil.rmtree(folder, ignore_errors=True)
os._exit(0)
