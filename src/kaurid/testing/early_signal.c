/* Loaded into kaurid with LD_PRELOAD: sends the process the signal of KAURI_EARLY_SIGNAL before
 * main(). */
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

__attribute__((constructor)) static void send_early(void) {
  const char* number = getenv("KAURI_EARLY_SIGNAL");
  if (number != NULL) kill(getpid(), atoi(number));
}
