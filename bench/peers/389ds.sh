#!/bin/bash
# 389 Directory Server (389-ds-base) as a benchmark peer; see README.md.
# Environment: PORT=13891 DBLIB=bdb|mdb NOSYNC=0|1 THREADS=4 MALLOC=jemalloc|glibc
#              ENTRYCACHE=8589934592 DNCACHE=1073741824 DBCACHE=2147483648 TXNBATCH=0 SETS="attr=value ..."
#              INDEX_EQ="attribute ..." INDEX_SUB="attribute ..." (these by equality too)
NAME=389ds; PORT=${PORT:-13891}
. "$(dirname "$0")/peer-lib.sh"
ROOTDN="cn=Directory Manager"; ROOTPW=secret12
DBLIB=${DBLIB:-bdb} NOSYNC=${NOSYNC:-0} THREADS=${THREADS:-4} MALLOC=${MALLOC:-jemalloc}
ENTRYCACHE=${ENTRYCACHE:-8589934592} DNCACHE=${DNCACHE:-1073741824} DBCACHE=${DBCACHE:-2147483648}
TXNBATCH=${TXNBATCH:-0} MAXSIZE=${MAXSIZE:-21474836480} SETS=${SETS:-}
INDEX_EQ=${INDEX_EQ-objectClass uid employeeNumber member} INDEX_SUB=${INDEX_SUB-cn sn mail}
R=$D/root; CFG=$R/etc/dirsrv/slapd-peer; DSE=$CFG/dse.ldif; DB=$R/var/lib/dirsrv/slapd-peer/db
PIDFILE=$D/ns-slapd.pid; PROC_RE='ns-slapd'
BIN="$D/bin"; SBIN=/usr/sbin/ns-slapd

pkgs() { need 389-ds-base python3-lib389 ldap-utils libjemalloc2 time; }
as() { # run as the package's own user, who owns the instance
  local pre=PEER=1
  [ "$MALLOC" != jemalloc ] || pre="LD_PRELOAD=$(ls /usr/lib/*/libjemalloc.so.2)"
  runuser -u dirsrv -- env -i HOME="$D" LC_ALL=C.UTF-8 PATH="$BIN:/usr/sbin:/usr/bin:/sbin:/bin" "$pre" "$@"
}
create() {
  stop_pid; rm -rf "$R" "$BIN"; chown dirsrv:dirsrv "$D"
  as test -w "$D" || die "user dirsrv must be able to reach $D; choose another PEER_DIR"
  [ ${#D} -lt 70 ] || die "PEER_DIR is too long for a socket path"
  # a private root, so that nothing is written below /etc or /var; dscreate insists on a plain user for it
  as dscreate ds-root "$R" "$BIN" > "$D/create.log" 2>&1 || { cat "$D/create.log" >&2; die "ds-root failed"; }
  # it writes lib64, which Debian does not have; and nothing may listen beyond the loopback, not even at creation
  sed -i "s#/usr/lib64#$(dirname "$(dirname "$(ls -d /usr/lib/*/dirsrv/plugins)")")#" "$R/share/dirsrv/inf/defaults.inf"
  sed -i 's/^nsslapd-port: .*/&\nnsslapd-listenhost: 127.0.0.1/' "$R/share/dirsrv/data/template-dse.ldif"
  cat > "$D/peer.inf" <<E
[general]
config_version = 2
full_machine_name = localhost
strict_host_checking = False
selinux = False
systemd = False
start = False
[slapd]
instance_name = peer
port = $PORT
secure_port = $((PORT + 100))
self_sign_cert = False
root_dn = $ROOTDN
root_password = $ROOTPW
user = dirsrv
group = dirsrv
db_lib = $DBLIB
[backend-userroot]
suffix = $BASE
create_suffix_entry = False
sample_entries = no
E
  as dscreate from-file "$D/peer.inf" >> "$D/create.log" 2>&1 || { tail -20 "$D/create.log" >&2; die "dscreate failed"; }
}
conf() { # write the settings straight into dse.ldif, which the server reads at its start
  pkgs
  if ! grep -q "^nsslapd-backend-implement: $DBLIB" "$DSE" 2>/dev/null; then create; fi
  local durable=on; [ "$NOSYNC" = 0 ] || durable=off
  as python3 -I - "$DSE" "$PORT" "$THREADS" "$ENTRYCACHE" "$DNCACHE" "$DBCACHE" "$durable" "$TXNBATCH" "$MAXSIZE" "$INDEX_EQ" "$INDEX_SUB" $SETS <<'PY'
import re, sys
f, port, threads, ecache, dcache, dbcache, durable, batch, maxsize, eq, sub = sys.argv[1:12]
entries = [e for e in re.sub(r"\n ", "", open(f).read()).split("\n\n") if e.strip()]
ldbm = "cn=ldbm database,cn=plugins,cn=config"
idx = "cn=index,cn=userroot," + ldbm
sets = {
 "cn=config": {"nsslapd-port": port, "nsslapd-listenhost": "127.0.0.1", "nsslapd-threadnumber": threads,
   "nsslapd-accesslog-logging-enabled": "off", "nsslapd-securitylog-logging-enabled": "off",
   "nsslapd-auditlog-logging-enabled": "off", "nsslapd-auditfaillog-logging-enabled": "off",
   "nsslapd-enable-upgrade-hash": "off",       # else the first bind rewrites {SSHA} as PBKDF2
   "nsslapd-unhashed-pw-switch": "off", "nsslapd-ndn-cache-max-size": "209715200",
   "nsslapd-sizelimit": "-1", "nsslapd-timelimit": "-1"},
 "cn=config," + ldbm: {"nsslapd-cache-autosize": "0", "nsslapd-import-cache-autosize": "-1",
   "nsslapd-lookthroughlimit": "-1", "nsslapd-rangelookthroughlimit": "-1"},
 "cn=bdb,cn=config," + ldbm: {"nsslapd-cache-autosize": "0", "nsslapd-import-cache-autosize": "-1",
   "nsslapd-dbcachesize": dbcache, "nsslapd-db-durable-transaction": durable,
   "nsslapd-db-transaction-batch-val": batch, "nsslapd-db-locks": "100000"},
 "cn=mdb,cn=config," + ldbm: {"nsslapd-mdb-max-size": maxsize, "nsslapd-db-durable-transaction": durable},
 "cn=userroot," + ldbm: {"nsslapd-cachememsize": ecache, "nsslapd-dncachememsize": dcache},
}
for s in sys.argv[12:]:
    k, v = s.split("=", 1); sets["cn=config"][k] = v
want = {a.lower(): ["eq"] for a in eq.split()} | {a.lower(): ["eq", "sub"] for a in sub.split()}
drop = {"givenname", "telephonenumber"}         # indexed by default, but not at the other peers
out, seen = [], set()
for e in entries:
    dn = re.search(r"(?m)^dn: *(.*)", e).group(1)
    m = re.match(r"cn=([^,]+)," + re.escape(idx) + "$", dn, re.I)
    if m and m.group(1).lower() in drop | {w.lower() for w in want}:
        continue
    for k, v in sets.get(dn, {}).items():
        e = re.sub(r"(?mi)^%s:.*\n?" % re.escape(k), "", e + "\n").rstrip("\n") + "\n%s: %s" % (k, v)
    out.append(e)
    if dn == idx:
        for a, t in want.items():
            out.append("dn: cn=%s,%s\nobjectClass: top\nobjectClass: nsIndex\ncn: %s\nnsSystemIndex: false\n%s"
                       % (a, idx, a, "\n".join("nsIndexType: " + x for x in t)))
open(f, "w").write("\n\n".join(out) + "\n\n")
PY
}
start() {
  [ -z "$(pid_of)" ] || { echo "already running"; return 0; }
  conf; ulimit -n 8192
  rm -f "$PIDFILE"; as "$SBIN" -D "$CFG" -i "$PIDFILE" || die "ns-slapd did not start; see $R/var/log/dirsrv/slapd-peer/errors"
  wait_up 120
  # access rules live in the data; the import brings none
  ldapmodify -x -c -H "ldap://127.0.0.1:$PORT" -D "$ROOTDN" -w "$ROOTPW" >/dev/null 2>&1 <<E || true
dn: $BASE
changetype: modify
add: aci
aci: (targetattr!="userPassword || aci")(version 3.0; acl "anyone reads"; allow (read,search,compare) userdn="ldap:///anyone";)

dn: $BASE
changetype: modify
add: aci
aci: (targetattr="*")(version 3.0; acl "self writes"; allow (write) userdn="ldap:///self";)
E
  echo "started, pid $(pid_of), port $PORT"
}
case ${1:-} in
  install) pkgs ;;
  init) stop_pid; conf ;;
  start) start ;;
  stop) stop_pid; echo stopped ;;
  restart) stop_pid; start ;;
  wipe) stop_pid; rm -rf "$R" "$BIN" ;;
  load) f=$(readlink -f "${2:?load FILE}"); [ -r "$f" ] || die "cannot read $f"
    stop_pid; rm -rf "$R"; conf
    if ! as test -r "$f"; then cp "$f" "$R/var/lib/dirsrv/slapd-peer/ldif/in.ldif"; f=$R/var/lib/dirsrv/slapd-peer/ldif/in.ldif; chown dirsrv "$f"; fi
    export -f as; export MALLOC D BIN
    timed "$D/load.log" bash -c 'as "$@"' _ "$SBIN" ldif2db -D "$CFG" -n userroot -i "$f"
    cold "$DB" ;;
  cold) cold "$DB" ;;
  size) sizes "$DB" ;;
  errors) tail -n "${2:-30}" "$R/var/log/dirsrv/slapd-peer/errors" ;;
  dsctl) shift; as dsctl peer "$@" ;;
  *) common "$@" ;;
esac
