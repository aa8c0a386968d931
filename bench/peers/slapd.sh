#!/bin/sh
# OpenLDAP slapd (back-mdb) as a benchmark peer; see README.md.
# Environment: PORT=13890 NOSYNC=0|1 THREADS=8 LISTENERS=1 WRITEMAP=0|1 NORDAHEAD=1|0 MALLOC=tcmalloc|jemalloc|glibc
#              IDLEXP=16 MAXSIZE=21474836480
#              INDEX_EQ="attribute ..." INDEX_SUB="attribute ..." (these by equality too)
NAME=slapd; PORT=${PORT:-13890}
. "$(dirname "$0")/peer-lib.sh"
PIDFILE=$D/slapd.pid; PROC_RE='slapd'; ROOTDN=cn=admin,$BASE; ROOTPW=secret
NOSYNC=${NOSYNC:-0} THREADS=${THREADS:-8} LISTENERS=${LISTENERS:-1} WRITEMAP=${WRITEMAP:-0} NORDAHEAD=${NORDAHEAD:-1}
MALLOC=${MALLOC:-tcmalloc} IDLEXP=${IDLEXP:-16} MAXSIZE=${MAXSIZE:-21474836480}
INDEX_EQ=${INDEX_EQ-objectClass uid employeeNumber member} INDEX_SUB=${INDEX_SUB-cn sn mail}

pkgs() { need slapd ldap-utils time
  case $MALLOC in jemalloc) need libjemalloc2 ;; tcmalloc) need libtcmalloc-minimal4 ;; esac; }
preload() {
  case $MALLOC in
    jemalloc) echo "LD_PRELOAD=$(ls /usr/lib/*/libjemalloc.so.2)" ;;
    tcmalloc) echo "LD_PRELOAD=$(ls /usr/lib/*/libtcmalloc_minimal.so.4)" ;;
    *) echo "PEER=1" ;;
  esac
}
conf() {
  pkgs; mkdir -p "$D/db"; chmod 700 "$D/db"
  cat > "$D/slapd.conf" <<E
include /etc/ldap/schema/core.schema
include /etc/ldap/schema/cosine.schema
include /etc/ldap/schema/inetorgperson.schema
modulepath /usr/lib/ldap
moduleload back_mdb
pidfile $PIDFILE
argsfile $D/slapd.args
loglevel 0
sizelimit unlimited
timelimit unlimited
threads $THREADS
listener-threads $LISTENERS
tool-threads 2
conn_max_pending 1000
backend mdb
idlexp $IDLEXP
database mdb
suffix "$BASE"
rootdn "$ROOTDN"
rootpw $ROOTPW
directory $D/db
maxsize $MAXSIZE
$(for a in $INDEX_EQ; do echo "index $a eq"; done)
$(for a in $INDEX_SUB; do echo "index $a eq,sub"; done)
access to attrs=userPassword by self write by anonymous auth by * none
access to * by self write by * read
E
  [ "$WRITEMAP" = 0 ] || echo "envflags writemap" >> "$D/slapd.conf"
  [ "$NORDAHEAD" = 0 ] || echo "envflags nordahead" >> "$D/slapd.conf"
  if [ "$NOSYNC" != 0 ]; then printf 'dbnosync\ncheckpoint 1024 1\n' >> "$D/slapd.conf"; fi
}
start() {
  [ -z "$(pid_of)" ] || { echo "already running"; return 0; }
  conf; ulimit -n 8192        # slapd sizes its connection table by this limit
  env "$(preload)" /usr/sbin/slapd -f "$D/slapd.conf" -h "ldap://127.0.0.1:$PORT/" -n slapd-peer || die "slapd did not start; try: slapd -d 1 -f $D/slapd.conf"
  wait_up 60; echo "started, pid $(pid_of), port $PORT"
}
case ${1:-} in
  install) pkgs ;;
  init) conf ;;
  start) start ;;
  stop) stop_pid; echo stopped ;;
  restart) stop_pid; start ;;
  wipe) stop_pid; rm -rf "$D/db" ;;
  load) f=${2:?load FILE}; [ -r "$f" ] || die "cannot read $f"
    stop_pid; rm -rf "$D/db"; conf
    timed "$D/load.log" env "$(preload)" /usr/sbin/slapadd -q -f "$D/slapd.conf" -l "$f"
    cold "$D/db" ;;
  cold) cold "$D/db" ;;
  size) sizes "$D/db" ;;
  *) common "$@" ;;
esac
